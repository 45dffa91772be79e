import { IsOptional } from 'class-validator';
import { type FieldType, LIFETIME } from '../../platform/common/field-types';
import { IsText, rule } from '../../platform/http/input/rules';
import { CreationTime, NullableTimeField, RecordField, SchemaField } from '../../platform/http/record-fields';
import type { ScopeName } from '../route-policies';

const SCOPE_LIST = /^[\w.-]+:(read|write)(,[\w.-]+:(read|write))*$/; // extensions add their own scopes

/** The service checks that the scopes exist. */
const SCOPES: FieldType<ScopeName[]> = {
  expected: 'comma-separated scopes, such as domains:read,messages:read',
  schema: { type: 'string', pattern: SCOPE_LIST.source, examples: ['domains:read,messages:read'] },
  parse: (value) => (SCOPE_LIST.test(value) ? ([...new Set(value.split(','))].sort() as ScopeName[]) : undefined),
};

const IsScopes = rule('isScopes', SCOPES);
const IsLifetime = rule('isLifetime', LIFETIME);

export class CreateApiKey {
  @IsText(128, 'What the key is for.', { example: 'website' })
  name: string;

  @IsOptional()
  @IsScopes('Defaults to the scopes of the key that creates it, and may include only those; never `keys:write`.')
  scopes?: ScopeName[];

  @IsOptional()
  @IsLifetime('When the key expires: by default, and at the latest, with the key that creates it.')
  expires?: number;
}

/** A key as stored; scopes are comma-separated. */
export class StoredApiKey {
  @RecordField({ type: 'integer', example: 3 }) id: number;
  @RecordField({ type: 'string', example: 'website' }) name: string;
  @RecordField({ type: 'string', example: 'domains:read' }) scopes: string;
  @RecordField({ type: 'boolean', example: false }) has_all_scopes: boolean;
  @NullableTimeField('', null) expires_datetime: string | null;
  @NullableTimeField('', null) last_used_datetime: string | null;
  @NullableTimeField('', null) revoked_datetime: string | null;
  @CreationTime() datetime: string;
}

export class ApiKeyRecord {
  @RecordField({ type: 'integer', example: 3 })
  id: number;

  @RecordField({ type: 'string', example: 'website' })
  name: string;

  @SchemaField({
    type: 'array',
    items: { type: 'string' },
    examples: [['domains:read', 'messages:read']],
    description: '`["*"]` for all, including those of later versions, but not `keys:write`.',
  })
  scopes: string[];

  @NullableTimeField('When it expires, in UTC; null for never.', '2027-02-19 14:05:09')
  expires: string | null;

  @NullableTimeField('Last use, in UTC, updated at most once a minute; null before the first.', '2026-11-21 14:05:09')
  last_used: string | null;

  @CreationTime()
  datetime: string;
}

export class CurrentApiKey extends ApiKeyRecord {
  @RecordField({ type: 'string', example: 'acme', description: 'Name of the account.' })
  account: string;
}

export class NewApiKey {
  @RecordField({ type: 'integer', example: 3 })
  id: number;

  @RecordField({ type: 'string', example: 'fd_…', description: 'The key, which can’t be read again.' })
  key: string;
}
