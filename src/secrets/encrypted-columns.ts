/** A column that SecretsCipher encrypts. Its table has an `id`. */
export interface EncryptedColumn {
  table: string;
  name: string;
  /** For messages. */
  contents: string;
  /** The column or number whose account the values are encrypted for. */
  account: string;
  /** Whether rotation reports how many it has re-encrypted. */
  isReported?: boolean;
  /** How rotation appears in the audit; undefined if it doesn't. */
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
