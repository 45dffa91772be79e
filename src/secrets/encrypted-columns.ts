/** A column that SecretsCipher encrypts. Its table has an `id`. */
export interface EncryptedColumn {
  table: string;
  name: string;
  /** What it holds. */
  contents: string;
  /** The column or number whose account the values are encrypted for. */
  account: string;
  /** Whether rotation reports how many it has re-encrypted. */
  isReported?: boolean;
  /** In the audit, where rotation is noted; undefined: nowhere. */
  audited?: { record: string; id: string };
}

/** Every encrypted column: the keys are checked and rotated for these. */
export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  {
    table: 'notification_handlers',
    name: 'settings',
    contents: 'Notification handler settings',
    account: 'account_id',
    isReported: true,
    audited: { record: 'notification handler', id: 'id' },
  },
  {
    table: 'signing_secrets',
    name: 'secret',
    contents: 'Signing secrets',
    account: 'account_id',
    audited: { record: 'signing secret', id: 'handler_id' },
  },
  { table: 'verification_keys', name: 'secret', contents: 'Verification keys', account: '0' },
];
