import type { AgentVendor } from './port';

/** Every vendor, one line each. The only file outside a vendor's folder that may name one. */
export const VENDORS: readonly AgentVendor[] = [];
