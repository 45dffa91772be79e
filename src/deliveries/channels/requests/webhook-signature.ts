import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/**
 * The header `webhook-signature`: one signature per secret, in the given order.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme
 */
export function webhookSignature(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return signatures.join(' ');
}
