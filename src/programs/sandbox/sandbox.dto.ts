import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { CHANNELS } from '../../deliveries/channels/channel-table';
import type { Wording } from '../../deliveries/channels/text-fit';
import { DNS_FAULTS, RECORD_TYPES } from './name-servers';
import type { ReceivedMail } from './smtp-receiver';

const CHANNEL_TYPES = [...CHANNELS.keys()];
const ANSWER_FAULTS = ['refuse', 'reset', 'hang', 'tls'] as const;
const TLS_FAULTS = ['missing', 'other_host', 'untrusted'] as const;
/** Longer than any attempt's deadline. */
const MAX_DELAY_MS = 60_000;
const MAX_CERTIFICATE_DAYS = 9_999;

const OptionalProperty = (schema: ApiPropertyOptions, ...rules: PropertyDecorator[]) =>
  applyDecorators(ApiPropertyOptional(schema), IsOptional(), ...rules);
const OptionalInteger = (minimum: number, maximum: number) =>
  OptionalProperty({ type: 'integer', minimum, maximum }, IsInt(), Min(minimum), Max(maximum));
const OptionalRecordId = () => OptionalProperty({ type: 'integer' }, IsInt());
const OptionalText = () => OptionalProperty({}, IsString());
const OptionalTexts = () => OptionalProperty({ type: [String] }, IsArray(), IsString({ each: true }));
const OptionalOneOf = (values: readonly string[]) => OptionalProperty({ enum: [...values] }, IsIn(values));
const RequiredText = () => applyDecorators(ApiProperty({ minLength: 1 }), IsString(), IsNotEmpty());

export class AccountOptions {
  /** Unique; by default, random. */
  @OptionalProperty({ minLength: 1, maxLength: 128 }, IsString(), Length(1, 128)) name?: string;
  /** Scopes of its key; by default, all. */
  @OptionalTexts() scopes?: readonly string[];
}

export class SentFilter {
  @Type(() => Number) @OptionalRecordId() account?: number;
  @OptionalOneOf(CHANNEL_TYPES) type?: string;
  @Type(() => Number) @OptionalRecordId() handler_id?: number;
  @Type(() => Number) @OptionalRecordId() message_id?: number;
}

/** How a receiver answers one request. Without `status`, omitted fields are as in the type's success answer; with it, they are empty. */
export class Answer {
  @OptionalInteger(200, 599) status?: number;
  @OptionalProperty({ type: 'object', additionalProperties: true }, IsObject()) headers?: Record<string, string>;
  @OptionalText() body?: string;
  @OptionalInteger(0, MAX_DELAY_MS) delay_ms?: number;
  /** `refuse`: no connection. `reset`: the connection ends after the request. `hang`: no answer. `tls`: the handshake fails. */
  @OptionalOneOf(ANSWER_FAULTS) fault?: (typeof ANSWER_FAULTS)[number];
}

/** Applies to requests that match each of `account`, `handler_id`, `type` and `host` that is set. */
export class AnswerRule {
  @OptionalRecordId() account?: number;
  @OptionalRecordId() handler_id?: number;
  @OptionalOneOf(CHANNEL_TYPES) type?: string;
  @OptionalText() host?: string;

  /** Used in order, one per request. */
  @ApiProperty({ type: [Answer] })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Answer)
  answers: Answer[];

  /** Used once `answers` is exhausted; defaults to success. */
  @OptionalProperty({}, ValidateNested(), Type(() => Answer)) then?: Answer;
}

/** `type` and `values`, or `fault`. */
export class DnsRule {
  @RequiredText() name: string;

  @OptionalOneOf(RECORD_TYPES) type?: (typeof RECORD_TYPES)[number];
  @OptionalTexts() values?: string[];
  @OptionalOneOf(DNS_FAULTS) fault?: (typeof DNS_FAULTS)[number];
}

/** A certificate that expires in `days`, 60 by default, below 0 for one that has expired; or a fault. */
export class NewTls {
  @RequiredText() host: string;

  @OptionalInteger(-MAX_CERTIFICATE_DAYS, MAX_CERTIFICATE_DAYS) days?: number;
  @OptionalOneOf(TLS_FAULTS) fault?: (typeof TLS_FAULTS)[number];
}

/** What visitors of a host get over TLS. */
export type TlsAnswer = Omit<NewTls, 'host'>;

export class PressedKey {
  /** Id of a call that was sent. */
  @ApiProperty({ type: 'integer' }) @IsInt() id: number;
  @ApiProperty({ pattern: '^[0-9*#]$' }) @Matches(/^[0-9*#]$/, { message: '$property must be a digit, * or #.' }) key: string;
}

export class ClockStep {
  @ApiProperty({ pattern: '^\\d{1,6}[smhd]$' })
  @IsString()
  @Matches(/^\d{1,6}[smhd]$/, { message: '$property must be a number and s, m, h or d, such as 21h.' })
  advance: string;
}

export class SettleOptions {
  @OptionalRecordId() account?: number;
}

export class SandboxAccount {
  @ApiProperty({ type: 'integer' }) id: number;
  @ApiProperty() name: string;
  @ApiProperty() key: string;
}

export class CallAnswer {
  @ApiProperty() twiml: string;
}

export class SandboxTime {
  @ApiProperty() now: Date;
}

const NullableId = () => ApiProperty({ oneOf: [{ type: 'integer' }, { type: 'null' }] });
const textProperties = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));

/** The request or mail of one attempt, and its answer. */
export class Sent {
  @ApiProperty({ type: 'integer' }) id: number;
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  @ApiProperty() time: string;
  /** Id of the account. */
  @ApiProperty({ type: 'integer' }) account: number;
  @ApiProperty({ enum: CHANNEL_TYPES }) type: string;
  @ApiProperty({ type: 'integer' }) handler_id: number;
  /** Null when a handler is tested. */
  @NullableId() message_id: number | null;
  @NullableId() delivery_id: number | null;
  @ApiProperty({ type: 'integer', minimum: 1 }) attempt: number;
  @ApiProperty({ type: 'object', properties: textProperties('title', 'text', 'url', 'acknowledge_url') }) readable: Wording;
  @ApiPropertyOptional({
    type: 'object',
    properties: { ...textProperties('method', 'url', 'body'), headers: { type: 'object', additionalProperties: true } },
  })
  request?: { method: string; url: string; headers: Record<string, string | string[] | undefined>; body: string };
  @ApiPropertyOptional({
    type: 'object',
    properties: { ...textProperties('from', 'subject', 'text', 'raw'), to: { type: 'array', items: { type: 'string' } } },
  })
  mail?: ReceivedMail & { subject: string; text: string };
  /** How the receiver answered. */
  @ApiProperty() answer: Answer;
}
