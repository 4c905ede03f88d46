import type { NextConfig } from 'next';

/** A static client: the host serves the exported files, so none of the framework's server is reachable (S-10). */
const config: NextConfig = {
  output: 'export',
  reactStrictMode: true,
  images: { unoptimized: true },
  devIndicators: false,
  typescript: { tsconfigPath: 'tsconfig.json' },
};
export default config;
