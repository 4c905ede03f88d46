/**
 * Everything this host serves over TCP, and who may reach it. The server dispatches from this table (a handler without
 * a row does not compile, a row without a handler neither), so nothing is reachable that is not classified (S-01).
 * `public` answers hold no data of the user; `device` sockets carry nothing but the challenge until a device has proved
 * itself. Procedures on the rpc socket have their own table: PROCEDURE_SCOPES.
 */
export const HTTP_ROUTES = {
  health: { method: 'GET', path: '/healthz', access: 'public' },
  enrol: { method: 'POST', path: '/auth/enrol', access: 'public' }, // its key is the one-use code in the body
  shell: { method: 'GET', path: null, access: 'public' }, // any other path: the static client, or 404
} as const;

export const SOCKET_ROUTES = {
  rpc: { path: '/ws/rpc', access: 'device' },
  term: { path: '/ws/term', access: 'device' },
} as const;

export type HttpRouteName = keyof typeof HTTP_ROUTES;
export type SocketRouteName = keyof typeof SOCKET_ROUTES;

export const socketRouteOf = (path: string): SocketRouteName | null => {
  for (const name of Object.keys(SOCKET_ROUTES) as SocketRouteName[]) {
    if (SOCKET_ROUTES[name].path === path) return name;
  }
  return null;
};
