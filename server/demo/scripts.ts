/** What the demo's agents do. Pure data: the board a newcomer sees within a minute. */
export interface DemoSession {
  project: 'billing-svc' | 'api-gateway' | 'docs-site';
  branch: string;
  name: string;
  prompt: string;
}

export const DEMO_SESSIONS: readonly DemoSession[] = [
  {
    project: 'billing-svc',
    branch: 'fix/upload-race',
    name: 'Upload race',
    prompt: [
      'context 61',
      'say The upload test races the network. A mock server makes it deterministic.',
      'activity Read test/upload.spec.js',
      'recap The test races the network; a mock server would make it deterministic.',
      'ask echo "added msw@2" >> deps.txt && cat deps.txt',
      'recap Mock server in place; the upload test passes 20 times in a row.',
      'say Done: the upload test is deterministic now.',
    ].join('\n'),
  },
  {
    project: 'billing-svc',
    branch: 'retry-backoff',
    name: 'Retry backoff',
    prompt: [
      'context 38',
      'recap Capped the backoff below the gateway timeout; running the suite.',
      'activity Edit src/retry.js  +6 −2',
      'activity Bash npm test -- retry',
      'activity   ✓ waits at most 24 s (31 ms)',
      'activity   ✓ adds jitter within 20 % (12 ms)',
      'say Running the whole suite …',
      'think 240000',
      'recap Backoff capped at 24 s with 20 % jitter; all 214 tests pass.',
    ].join('\n'),
  },
  {
    project: 'billing-svc',
    branch: 'load-test',
    name: 'Load test',
    prompt: [
      'context 44',
      'recap Turn ended; a background command is still running.',
      'say Started the load test in the background.',
      'background 600000 load test',
    ].join('\n'),
  },
  {
    project: 'api-gateway',
    branch: 'cache-headers',
    name: 'Cache headers',
    prompt: [
      'context 19',
      'recap Wants to know which responses a shared cache may keep.',
      'edit docs/caching.md Public catalogue responses may be kept for 300 s.',
      'say Wrote docs/caching.md.',
    ].join('\n'),
  },
  {
    project: 'api-gateway',
    branch: 'openapi-drift',
    name: 'OpenAPI drift',
    prompt: [
      'context 22',
      'recap Comparing the schema with the handlers.',
      'activity Search "operationId" in handlers/',
      'activity Read openapi.yaml',
      'think 300000',
    ].join('\n'),
  },
  {
    project: 'docs-site',
    branch: 'dark-theme',
    name: 'Dark theme',
    prompt: [
      'context 57',
      'activity Edit src/theme.css  +214 −63',
      'recap Tokens moved to CSS variables; both themes pass contrast. Next: remove the old palette.',
      'say Both themes pass contrast.',
    ].join('\n'),
  },
  {
    project: 'docs-site',
    branch: 'search-index',
    name: 'Search index',
    prompt: ['context 12', 'recap Built the index; 1 204 pages.', 'say Built the index.', 'exit 0'].join(
      '\n',
    ),
  },
];
