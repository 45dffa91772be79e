import { applyDecorators } from '@nestjs/common';
import { PartialType } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { oneOf, orEmpty } from '../platform/common/field-types';
import { IsFlag, IsOneOf, IsText, rule } from '../platform/http/input/rules';
import { CreationTime, RecordField, UpdateTime } from '../platform/http/record-fields';
import { VariesBy } from '../platform/http/openapi/varies-by';
import { contains, ENABLED, equals, listQuery, times } from '../platform/http/list-query';
import { CHANNEL_FIELDS, CHANNEL_TYPES, type ChannelType, fieldsOf, otherTypeDetail, type Settings } from './channel-settings';

export class NotificationHandlerQuery extends listQuery({
  filters: { name: contains('name_folded', 'night'), type: equals(oneOf(CHANNEL_TYPES, 'email')), is_enabled: ENABLED, ...times() },
  orderby: ['name', 'datetime', 'last_datetime'],
}) {}

export class CreateNotificationHandler {
  @IsText(128, 'Display name.', { example: 'Night shift' })
  name: string;

  @IsOneOf(CHANNEL_TYPES, 'Channel through which the handler delivers.')
  type: ChannelType;
}

/** Declares the settings of every type, as properties `@Setting(field) <name>?: string` would. */
for (const field of CHANNEL_FIELDS) Setting(field)(CreateNotificationHandler.prototype, field.name);

/** Omitted fields keep their values, except that a change of type clears the settings. */
export class UpdateNotificationHandler extends PartialType(CreateNotificationHandler) {
  @IsOptional()
  @IsFlag('Whether the handler is enabled.')
  is_enabled?: boolean;
}

const SETTINGS_SCHEMAS = Object.fromEntries(CHANNEL_TYPES.map((type) => [type, settingsSchema(type)]));

export class NotificationHandlerRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'string', example: 'email', description: 'Channel through which the handler delivers.', enum: CHANNEL_TYPES })
  type: ChannelType;

  @RecordField({ type: 'string', example: 'Night shift' })
  name: string;

  @RecordField({
    type: 'object',
    example: { email: 'ops@example.com' },
    description: 'The fields of the type. Without the scope secrets:read, secrets are masked.',
  })
  @VariesBy('type', SETTINGS_SCHEMAS)
  settings: Settings;

  @RecordField({ type: 'boolean', example: true })
  is_enabled: boolean;

  @UpdateTime()
  last_datetime: string | null;

  @CreationTime()
  datetime: string;
}

export class SigningSecretRecord {
  @RecordField({
    type: 'string',
    example: 'whsec_ZnJvbnRkZXNrLWV4YW1wbGUtc2lnbmluZy1zZWNyZXQ=',
    description:
      'Signs the requests of the webhook as [Standard Webhooks](https://www.standardwebhooks.com) describes. Created on first use. A replaced secret keeps signing for 24 hours beside the new one; at most three sign.',
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  })
  secret: string;
}

/** The settings that a record shows: strings without a format, since they may be empty or masked. */
function settingsSchema(type: ChannelType): object {
  const fields = fieldsOf(type);
  const examples = Object.fromEntries(fields.map(([name, { fieldType }]) => [name, fieldType.schema.examples[0]]));
  return {
    required: Object.keys(examples),
    properties: Object.fromEntries(
      fields.map(([name, { description }]) => [name, { type: 'string', description, examples: [examples[name]] }]),
    ),
    additionalProperties: undefined,
    examples: [examples],
  };
}

function Setting({ type, fieldType, description, isSecret }: (typeof CHANNEL_FIELDS)[number]): PropertyDecorator {
  const expected = isSecret ? `${fieldType.expected}; a masked value can't be stored` : fieldType.expected;
  const IsSetting = rule('isSetting', orEmpty({ ...fieldType, expected }));
  return applyDecorators(
    BelongsTo(type),
    IsOptional(),
    IsSetting(`${description} For the type ${type}.`),
    VariesBy('type', { [type]: {} }),
  );
}

function BelongsTo(type: ChannelType): PropertyDecorator {
  return ValidateBy({
    name: 'belongsToType',
    validator: {
      validate: (value, argument) => !otherTypeDetail(argument?.property ?? '', value, type, typeOf(argument?.object)),
      defaultMessage: (argument) => otherTypeDetail(argument?.property ?? '', argument?.value, type, typeOf(argument?.object)) ?? '',
    },
  });
}

function typeOf(input?: object): ChannelType | undefined {
  const { type } = (input ?? {}) as Partial<CreateNotificationHandler>;
  return CHANNEL_TYPES.find((known) => known === type);
}
