import { createTRPCClient, createWSClient, TRPCClientError, wsLink } from '@trpc/client';
import type { AppRouter } from '@/server/api/router';
import type { ErrorShape } from '@/server/contract';
import { ProvenSocket, socketUrl } from './proven-socket';

let made: ReturnType<typeof make> | null = null;
const make = () => {
  const ws = createWSClient({
    url: () => socketUrl('/ws/rpc'),
    WebSocket: ProvenSocket as unknown as typeof WebSocket,
    // Dials with the first call: making the client must do nothing, since pages are made ahead without a browser.
    lazy: { enabled: true, closeMs: 60_000 },
    keepAlive: { enabled: true, intervalMs: 15_000, pongTimeoutMs: 5_000 },
    retryDelayMs: (attempt) => (attempt === 0 ? 0 : Math.min(125 * 2 ** attempt, 4_000)),
  });
  return { ws, client: createTRPCClient<AppRouter>({ links: [wsLink({ client: ws })] }) };
};
const both = () => {
  made ??= make();
  return made;
};
export const api = () => both().client;

/** After a sleep the old socket may be dead without knowing it: a fresh one is there in milliseconds. */
export function redial(): void {
  const connection = made?.ws.connection;
  // One that is still dialling may have been dialled into the sleep.
  if (connection && connection.state !== 'closed') connection.ws.close();
}

/** Ends the connection for good, for a device that is refused; the next call would dial again. */
export function hangUp(): void {
  void made?.ws.close();
}

/** What to show of a failure: what happened, and what to do. */
export function problemOf(error: unknown): ErrorShape {
  const app = error instanceof TRPCClientError ? (error.data as { app?: ErrorShape } | null)?.app : null;
  if (app) return app;
  const said = error instanceof Error ? error.message : '';
  // The client's own words for a line that is down speak of its insides.
  if (/not open/i.test(said)) {
    return { code: 'unavailable', message: 'The host cannot be reached right now; nothing was sent.' };
  }
  if (/closed|WebSocket|connection/i.test(said)) {
    return {
      code: 'unavailable',
      message: 'The line to the host broke.',
      hint: 'It may have been received: look before you try again.',
    };
  }
  return { code: 'unavailable', message: said || 'The host cannot be reached.' };
}
export const problemText = (error: unknown): string => {
  const { message, hint } = problemOf(error);
  return hint ? `${message} ${hint}` : message;
};
