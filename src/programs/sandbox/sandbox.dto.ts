import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
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
import type { Shown } from '../../platform/common/network';
import { TLS_FAULTS, type TlsAnswer } from './certificates';
import { DNS_FAULTS, RECORD_TYPES } from './names';
import type { ReceivedMail } from './smtp-receiver';

const TYPES = [...CHANNELS.keys()];
const FAULTS = ['refuse', 'reset', 'hang', 'tls'] as const;
/** Longer than any attempt's deadline. */
const MAX_DELAY_MS = 60_000;
const MAX_DAYS = 9_999;

const Optional = (...rules: PropertyDecorator[]) => applyDecorators(IsOptional(), ...rules);
const Texts = () => applyDecorators(IsArray(), IsString({ each: true }));

export class AccountOptions {
  /** Unique; by default, random. */
  @Optional(IsString(), Length(1, 128)) name?: string;
  /** Scopes of its key; by default, all. */
  @Optional(Texts()) scopes?: readonly string[];
}

export class SentFilter {
  @Optional(Type(() => Number), IsInt()) account?: number;
  @Optional(IsIn(TYPES)) type?: string;
  @Optional(Type(() => Number), IsInt()) handler_id?: number;
  @Optional(Type(() => Number), IsInt()) message_id?: number;
}

/** How a receiver answers one request. Without `status`, omitted fields are as in the type's answer on success; with it, empty. */
export class Answer {
  @Optional(IsInt(), Min(200), Max(599)) status?: number;
  @Optional(IsObject()) headers?: Record<string, string>;
  @Optional(IsString()) body?: string;
  @Optional(IsInt(), Min(0), Max(MAX_DELAY_MS)) delay_ms?: number;
  /** `refuse`: no connection. `reset`: the connection ends after the request. `hang`: no answer. `tls`: the handshake fails. */
  @Optional(IsIn(FAULTS)) fault?: (typeof FAULTS)[number];
}

/** Applies to requests that match each of `account`, `handler_id`, `type` and `host` that is set. */
export class AnswerRule {
  @Optional(IsInt()) account?: number;
  @Optional(IsInt()) handler_id?: number;
  @Optional(IsIn(TYPES)) type?: string;
  @Optional(IsString()) host?: string;

  /** Used in order, one per request. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Answer)
  answers: Answer[];

  /** Used once `answers` is exhausted; defaults to success. */
  @Optional(ValidateNested(), Type(() => Answer)) then?: Answer;
}

/** `type` and `values`, or `fault`. */
export class NewNames {
  @IsString()
  @IsNotEmpty()
  name: string;

  @Optional(IsIn(RECORD_TYPES)) type?: (typeof RECORD_TYPES)[number];
  @Optional(Texts()) values?: string[];
  @Optional(IsIn(DNS_FAULTS)) fault?: (typeof DNS_FAULTS)[number];
}

/** A certificate that expires in `days`, 60 by default, below 0 for one that has expired; or a fault. */
export class NewTls implements TlsAnswer {
  @IsString()
  @IsNotEmpty()
  host: string;

  @Optional(IsInt(), Min(-MAX_DAYS), Max(MAX_DAYS)) days?: number;
  @Optional(IsIn(TLS_FAULTS)) fault?: TlsAnswer['fault'];
}

export class PressedKey {
  /** Of a call in what was sent. */
  @IsInt() id: number;
  @Matches(/^[0-9*#]$/, { message: '$property must be a digit, * or #.' }) key: string;
}

export class ClockStep {
  @IsString()
  @Matches(/^\d{1,6}[smhd]$/, { message: '$property must be a number and s, m, h or d, such as 21h.' })
  advance: string;
}

export class SettleOptions {
  @Optional(IsInt()) account?: number;
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

const OptionalId = () => ApiProperty({ oneOf: [{ type: 'integer' }, { type: 'null' }] });
const ofTexts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));

/** The request or mail of one attempt, and its answer. */
export class Sent {
  @ApiProperty({ type: 'integer' }) id: number;
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  @ApiProperty() time: string;
  /** Id of the account. */
  @ApiProperty({ type: 'integer' }) account: number;
  @ApiProperty({ enum: TYPES }) type: string;
  @ApiProperty({ type: 'integer' }) handler_id: number;
  /** Null in the test of a handler. */
  @OptionalId() message_id: number | null;
  @OptionalId() delivery_id: number | null;
  /** From 1. */
  @ApiProperty({ type: 'integer', minimum: 1 }) attempt: number;
  @ApiProperty({ type: 'object', properties: ofTexts('title', 'text', 'url', 'acknowledge_url') }) readable: Shown;
  @ApiPropertyOptional({
    type: 'object',
    properties: { ...ofTexts('method', 'url', 'body'), headers: { type: 'object', additionalProperties: true } },
  })
  request?: { method: string; url: string; headers: Record<string, string | string[] | undefined>; body: string };
  @ApiPropertyOptional({
    type: 'object',
    properties: { ...ofTexts('from', 'subject', 'text', 'raw'), to: { type: 'array', items: { type: 'string' } } },
  })
  mail?: ReceivedMail & { subject: string; text: string };
  /** How the receiver answered. */
  @ApiProperty() answer: Answer;
}
