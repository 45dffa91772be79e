/** @mysql never */
import { useApplication } from '../../support/http/application';
import { expectErrors } from '../../support/http/errors';
import { DOMAINS } from '../../support/areas/records';

const ORIGIN = 'https://app.example.com';
const PREFLIGHT = { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' };

describe('without CORS_ORIGINS', () => {
  const { application } = useApplication();

  test('no origin is allowed, and a preflight returns 405 like any OPTIONS', async () => {
    const preflight = await application().client().send('OPTIONS', DOMAINS).set(PREFLIGHT);
    expectErrors(preflight, { code: 'method_not_allowed' });
    const read = await application().client().get('/health/live').set('Origin', ORIGIN);
    for (const { headers } of [preflight, read]) {
      expect(Object.keys(headers as object).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('with CORS_ORIGINS', () => {
  const { application } = useApplication({ CORS_ORIGINS: `${ORIGIN}, https://other.example.com` });

  test.each([DOMAINS, `${DOMAINS}/7`, '/api/notification-handler/', '/api/notifications', '/health/live'])(
    'a preflight of %s returns 204 without a key',
    async (path) => {
      const response = await application().client().send('OPTIONS', path).set(PREFLIGHT);
      expect(response.status).toBe(204);
      expect(response.text).toBe('');
      expect(response.headers['access-control-allow-origin']).toBe(ORIGIN);
      expect(response.headers['access-control-allow-methods'].split(',')).toEqual(expect.arrayContaining(['GET', 'POST', 'DELETE']));
      expect(response.headers['access-control-allow-headers'].toLowerCase().split(',')).toEqual(
        expect.arrayContaining(['authorization', 'content-type', 'traceparent', 'x-request-id']),
      );
      expect(response.headers['access-control-allow-credentials']).toBeUndefined();
      expect(response.headers.vary).toContain('Origin');
    },
  );

  test('an allowed origin may read responses, errors and the documented headers', async () => {
    for (const path of ['/health/live', DOMAINS]) {
      const { headers } = await application().client().get(path).set('Origin', ORIGIN);
      expect(headers['access-control-allow-origin']).toBe(ORIGIN);
      expect(headers['access-control-expose-headers'].split(',')).toEqual(
        expect.arrayContaining(['Location', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id']),
      );
      expect(headers.vary).toContain('Origin');
    }
  });

  test.each(['https://evil.example', 'http://app.example.com', 'https://app.example.com.evil.example', 'null', ''])(
    'the origin %j is not allowed',
    async (origin) => {
      const preflight = await application()
        .client()
        .send('OPTIONS', DOMAINS)
        .set({ ...PREFLIGHT, Origin: origin });
      expectErrors(preflight, { code: 'method_not_allowed' });
      const read = await application().client().get('/health/live').set('Origin', origin);
      expect(read.headers['access-control-allow-origin']).toBeUndefined();
      expect(read.headers.vary).toContain('Origin');
    },
  );

  test('a preflight of an unknown path returns 404', async () => {
    for (const path of ['/nowhere', '/api/domains/7/8', '//']) {
      expectErrors(await application().client().send('OPTIONS', path).set(PREFLIGHT), { code: 'not_found' });
    }
  });

  test('OPTIONS without preflight headers returns 405', async () => {
    const response = await application().client().send('OPTIONS', DOMAINS).set('Origin', ORIGIN);
    expectErrors(response, { code: 'method_not_allowed' });
    expect(response.headers.allow).toBe('GET, HEAD, POST');
  });
});
