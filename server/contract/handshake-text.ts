// Apart from the schemas, so that the browser's first page need not load them.

/** Raised whenever an older cached shell could misread the wire. */
export const PROTOCOL = 1;

/** Close codes of our sockets. Text reason is for logs; the app words it. */
export const CLOSE = {
  refused: 4401,
  revoked: 4403,
  tooLarge: 4413,
  late: 4408,
  protocol: 4426,
  goingAway: 4001,
} as const;

/** The text that `Hello.sig` signs. */
export const helloText = (h: {
  serverId: string;
  origin: string;
  nonce: string;
  time: number;
  deviceId: string;
  purpose: string; // the socket's path, so a proof for one socket is worthless at another
}): string =>
  ['offdeck-hello-1', h.serverId, h.origin, h.purpose, h.deviceId, h.nonce, String(h.time)].join('\n');

export const enrolText = (e: { code: string; origin: string }): string =>
  ['offdeck-enrol-1', e.origin, e.code].join('\n');
