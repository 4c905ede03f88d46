import type { DevHandler } from './http-server';

/** The part of the framework's programmatic server we use (next 16). Its own types would change Node's for all of us. */
interface Framework {
  default(options: { dev: true; dir: string; hostname: string; port: number }): {
    prepare(): Promise<void>;
    getRequestHandler(): (...args: Parameters<DevHandler['request']>) => Promise<void>;
    getUpgradeHandler(): (...args: Parameters<DevHandler['upgrade']>) => Promise<void>;
  };
}

/**
 * The framework's development server for the client's sources in `root`, behind our gate. Only for `npm run dev`: the
 * framework is imported here and nowhere else, so no production process ever loads it (S-10).
 */
export async function createDevHandler(root: string, port: number): Promise<DevHandler> {
  const framework = (await import('next' as string)) as Framework;
  const app = framework.default({ dev: true, dir: root, hostname: '127.0.0.1', port });
  await app.prepare();
  const request = app.getRequestHandler();
  const upgrade = app.getUpgradeHandler();
  return {
    request: (req, res) => void request(req, res),
    upgrade: (req, socket, head) => void upgrade(req, socket, head),
  };
}
