/** What the server is asked before anything is routed. All text comes from a stranger. */
export interface GateRequest {
  method: string;
  url: string; // the request target as it was sent
  rawHeaders: readonly string[]; // name, value, name, value…: duplicates stay visible
  upgrade: boolean;
}
export type Verdict =
  | { ok: true; host: string; path: string; query: string; origin: string | null }
  | { ok: false; status: 400 | 403 | 421; message: string };

export interface GateOptions {
  port: number;
  /** Origins of a TLS proxy in front, e.g. `https://box.tail1234.ts.net`. Only https: plain http stays on loopback. */
  proxyOrigins?: readonly string[];
  /** Development: the framework's own server is behind us and needs its headers. */
  dev?: boolean;
  /** True for a static payload that the exported client's own router fetches, with headers of its own. */
  clientPayload?: (path: string) => boolean;
}

export interface Gate {
  readonly origins: readonly string[];
  judge(request: GateRequest): Verdict;
  /** The origin under which a (checked) Host is known. */
  originOf(host: string): string;
}

/** Headers with which a framework can be talked into skipping a check or decoding a payload (S-10). */
const NEVER = /^(next-action|x-middleware-.*|x-nextjs-.*|x-invoke-.*)$/;
const ROUTER = /^(rsc|next-router-.*|next-url)$/;

const refuse = (status: 400 | 403 | 421, message: string): Verdict => ({ ok: false, status, message });

/**
 * The fixed lists a request must fit before it is routed: Host (S-04), Origin (S-06), framework headers (S-10). Pure,
 * and never a reason to trust: passing says only that no foreign page and no rebound name is behind the request.
 * Forwarded and identity headers are not read at all (S-03). Throws for an origin that is no https origin.
 */
export function createGate(options: GateOptions): Gate {
  const originByHost = new Map<string, string>();
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    const { host, origin } = new URL(`http://${name}:${options.port}`);
    originByHost.set(host, origin);
  }
  for (const text of options.proxyOrigins ?? []) {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url?.protocol !== 'https:' || url.origin !== text) {
      throw new TypeError(`"${text}" is not an https origin like https://machine.example`);
    }
    originByHost.set(url.host, url.origin);
  }
  const origins = [...originByHost.values()];

  const judge = ({ method, url, rawHeaders, upgrade }: GateRequest): Verdict => {
    const headers = group(rawHeaders);
    const hosts = headers.get('host') ?? [];
    const host = hosts[0];
    // Two Host headers may be read differently by a proxy and by us; neither is believed.
    if (hosts.length !== 1 || host === undefined || !originByHost.has(host)) {
      return refuse(421, 'This host is not served here.');
    }
    // Absolute-form names a second authority, `//x` may be taken for one: only plain paths are targets.
    if (!url.startsWith('/') || url.startsWith('//')) return refuse(421, 'Only plain paths are served here.');
    if (/[^\x21-\x7e]|[\\#]/.test(url)) return refuse(400, 'The path is malformed.');
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : url.slice(mark + 1);

    const reading = !upgrade && (method === 'GET' || method === 'HEAD');
    if (!options.dev) {
      for (const name of headers.keys()) {
        const routed = ROUTER.test(name) && !(reading && options.clientPayload?.(path));
        if (NEVER.test(name) || routed) return refuse(400, 'This host has no framework endpoints.');
      }
    }
    if (method === 'OPTIONS') return refuse(403, 'Other origins have no access.');
    const sent = headers.get('origin') ?? [];
    if (reading) return { ok: true, host, path, query, origin: null };
    const origin = sent[0];
    if (sent.length !== 1 || origin === undefined || !origins.includes(origin)) {
      return refuse(403, 'Only pages of this host may do that.');
    }
    const site = headers.get('sec-fetch-site');
    if (site !== undefined && (site.length !== 1 || site[0] !== 'same-origin')) {
      return refuse(403, 'Only pages of this host may do that.');
    }
    return { ok: true, host, path, query, origin };
  };

  return { origins, judge, originOf: (host) => originByHost.get(host) ?? '' };
}

function group(rawHeaders: readonly string[]): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const list = out.get(name);
    if (list) list.push(rawHeaders[i + 1]!);
    else out.set(name, [rawHeaders[i + 1]!]);
  }
  return out;
}
