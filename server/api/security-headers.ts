export interface PolicyInput {
  origin: string; // our own, as this browser knows it
  nonce: string;
  scriptHashes: readonly string[]; // of this page's inline scripts
  styleHashes: readonly string[];
  /** Names of Trusted Types policies that may exist; null leaves Trusted Types off. */
  trustedTypes: readonly string[] | null;
  dev: boolean;
}

/** The browser's own guard around our page (S-40): what is not listed here, injected markup cannot do either. */
export function contentSecurityPolicy(input: PolicyInput): string {
  const socket = input.origin.replace(/^http/, 'ws');
  const quote = (hash: string) => `'${hash}'`;
  const rules: [string, ...string[]][] = [
    ['default-src', "'none'"],
    [
      'script-src',
      "'self'",
      ...(input.dev ? ["'unsafe-inline'", "'unsafe-eval'"] : input.scriptHashes.map(quote)),
    ],
    // The nonce is for style elements that the terminal and the editor make at run time.
    [
      'style-src',
      "'self'",
      ...(input.dev ? ["'unsafe-inline'"] : [`'nonce-${input.nonce}'`, ...input.styleHashes.map(quote)]),
    ],
    // React's server markup and the terminal's renderer write style attributes, which no nonce can cover. An attribute
    // styles one element and loads nothing (images stay under img-src), so this is the part that may give.
    ['style-src-attr', "'unsafe-inline'"],
    ['img-src', "'self'", 'blob:'],
    ['font-src', "'self'"],
    // 'self' does not cover ws: in every browser; naming both also keeps other ports of this machine out.
    ['connect-src', input.origin, socket],
    ['worker-src', "'self'"],
    ['manifest-src', "'self'"],
    ['frame-src', "'none'"],
    ['object-src', "'none'"],
    ['base-uri', "'none'"],
    ['form-action', "'none'"],
    ['frame-ancestors', "'none'"],
  ];
  if (input.trustedTypes !== null && !input.dev) {
    rules.push(['require-trusted-types-for', "'script'"]);
    rules.push([
      'trusted-types',
      ...(input.trustedTypes.length ? (input.trustedTypes as [string]) : ["'none'"]),
    ]);
  }
  return rules.map((rule) => rule.join(' ')).join('; ');
}

/** Sent with every answer, errors included. There is no Access-Control-* header anywhere (S-05). */
export const FIXED_HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), ' +
    'microphone=(self), midi=(), payment=(), serial=(), usb=()',
};

/** For scripts: a worker lives by the policy of its own file, and ours may only talk to this host. */
export const scriptPolicy = (origin: string): string =>
  `default-src 'none'; script-src 'self'; connect-src ${origin} ${origin.replace(/^http/, 'ws')}; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** For everything that is neither page nor script: nothing in it may run, load or be framed. */
export const INERT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
