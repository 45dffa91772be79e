import { RecordField } from '../../http/openapi/record-schema';

export class SigningSecretRecord {
  @RecordField(
    'string',
    'whsec_ZnJvbnRkZXNrLWV4YW1wbGUtc2lnbmluZy1zZWNyZXQ=',
    'Signs the requests of the webhook as [Standard Webhooks](https://www.standardwebhooks.com) describes. Made with the first use. Once replaced, it signs beside the new one for 24 hours; at most three sign.',
    { pattern: '^whsec_[A-Za-z0-9+/]{43}=$' },
  )
  secret: string;
}
