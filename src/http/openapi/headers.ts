import type { HeaderObject } from '@nestjs/swagger';

export const REQUEST_ID = 'b6f1a2b0-6c0e-4a53-9d0b-0f3f2f6c1c55';

export const HEADERS: Record<string, HeaderObject> = {
  'X-Request-Id': {
    description: 'Names the request: as the caller did, or anew.',
    required: true,
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  'WWW-Authenticate': {
    description: 'What is missing (RFC 6750).',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer realm="frontdesk", error="invalid_token"',
  },
  'Retry-After': { description: 'Seconds to wait for.', required: true, schema: { type: 'integer', minimum: 0 }, example: 1 },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) an account may send in so many seconds (`w`); draft-ietf-httpapi-ratelimit-headers.',
    required: true,
    schema: { type: 'string' },
    example: '"account";q=600;w=60',
  },
  RateLimit: {
    description: 'How many of them are left (`r`), and after how many seconds there are all again (`t`).',
    required: true,
    schema: { type: 'string' },
    example: '"account";r=0;t=30',
  },
};

export function headerReference(name: string) {
  return { $ref: `#/components/headers/${name}` };
}
