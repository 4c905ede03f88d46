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
      'asked The upload test fails one time in ten. Find out why and mend it.',
      'context 61',
      'did read test/upload.spec.js',
      'did search "setTimeout" in test/ => test/upload.spec.js:14 ¶ test/retry.spec.js:31',
      'say The upload test races the network: it waits 50 ms and hopes that the answer has come. A mock server makes it deterministic.',
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
      'asked Cap the retry backoff at 30 seconds and add jitter.',
      'context 38',
      'did read src/retry.js',
      'say The gateway closes requests after 25 s, so a wait of 30 s would cut the last retry off. I cap the wait **below that** and keep the jitter proportional: `wait + random(0 … 20 %)`.\\n\\n| attempt | wait | with jitter |\\n|---|---|---|\\n| 1 | 0.2 s | 0.24 s |\\n| 5 | 3.2 s | 3.8 s |\\n| 9 | 20 s | 24 s |',
      'did edit src/retry.js => @@ -1,4 +1,8 @@ export async function retry(fn, n) ¶ -const wait = 2 ** n * 100; ¶ +const CAP_MS = 20_000; ¶ +const wait = Math.min(2 ** n * 100, CAP_MS); ¶ +const jitter = wait * 0.2 * Math.random(); ¶ -await sleep(wait); ¶ +await sleep(wait + jitter); ¶  return fn(n + 1);',
      'did shell npm test -- retry => ✓ waits at most 24 s (31 ms) ¶ ✓ adds jitter within 20 % (12 ms) ¶ ¶ Tests 2 passed',
      'recap Capped the backoff below the gateway timeout; running the suite.',
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
      'asked Run the load test and tell me what breaks first.',
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
      'asked Which responses may a shared cache keep?',
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
      'asked Does the OpenAPI file still match the handlers?',
      'context 22',
      'recap Comparing the schema with the handlers.',
      'did search "operationId" in handlers/ => 41 hits',
      'did read openapi.yaml',
      'think 300000',
    ].join('\n'),
  },
  {
    project: 'docs-site',
    branch: 'dark-theme',
    name: 'Dark theme',
    prompt: [
      'asked Move the colours to CSS variables and give the site a dark theme.',
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
    prompt: [
      'asked Build the search index.',
      'context 12',
      'recap Built the index; 1 204 pages.',
      'say Built the index.',
      'exit 0',
    ].join('\n'),
  },
];
