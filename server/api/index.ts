/**
 * The way in for browsers: one loopback listener with the static client, the two sockets and the router. Guarantees that
 * no request is routed before its Host, Origin and headers fit fixed lists, that no socket reaches a handler before a
 * device has proved itself on it, and that every procedure asks the scope table. It must never hold logic of its own,
 * send an Access-Control header, set a cookie, or believe a forwarded header.
 */
export { createDevHandler } from './dev-handler';
export {
  createHttpServer,
  type DevHandler,
  type HttpServer,
  type HttpServerOptions,
} from './http-server';
export { type ApiContext, type AppRouter, appRouter } from './router';
export type {
  AddedProject,
  BranchList,
  Caller,
  DeviceRow,
  FolderEntry,
  FolderListing,
  HostInfo,
  Services,
} from './services';
export { loadShell, type Shell } from './static-shell';
export type { TerminalPort } from './terminal-socket';
