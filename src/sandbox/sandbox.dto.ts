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
import { POSITIVE_INTEGER, oneOf } from '../common/field-types';
import { CHANNELS } from '../deliveries/channels/channel-table';
import { OptionalField } from '../http/input/fields';
import { type Answer, type AnswerRule, FAULTS } from './answers';
import { DNS_FAULTS, RECORD_TYPES } from './names';
import type { SentFilter } from './recorder';

const TYPES = [...CHANNELS.keys()];
/** Longer than any attempt waits. */
const MAX_DELAY_MS = 60_000;

export class NewAccount {
  @IsOptional()
  @IsString()
  @Length(1, 128)
  name?: string;

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  scopes?: string[];
}

export class SentQuery implements SentFilter {
  @OptionalField(POSITIVE_INTEGER, 'Id of the account.')
  account?: number;

  @OptionalField(oneOf(TYPES, 'webhook'), 'Type of the handler.')
  type?: string;

  @OptionalField(POSITIVE_INTEGER, 'Id of the handler.')
  handler_id?: number;

  @OptionalField(POSITIVE_INTEGER, 'Id of the message.')
  message_id?: number;
}

class AnswerBody implements Answer {
  @IsOptional()
  @IsInt()
  @Min(200)
  @Max(599)
  status?: number;

  @IsOptional()
  @IsObject()
  headers?: Record<string, string>;

  @IsOptional()
  @IsString()
  body?: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_DELAY_MS)
  delay_ms?: number;

  @IsOptional()
  @IsIn(FAULTS)
  fault?: Answer['fault'];
}

export class NewAnswers implements AnswerRule {
  @IsOptional()
  @IsInt()
  account?: number;

  @IsOptional()
  @IsInt()
  handler_id?: number;

  @IsOptional()
  @IsIn(TYPES)
  type?: string;

  @IsOptional()
  @IsString()
  host?: string;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => AnswerBody)
  answers: AnswerBody[];

  @IsOptional()
  @ValidateNested()
  @Type(() => AnswerBody)
  then?: AnswerBody;
}

/** `type` and `values`, or `fault`. */
export class NewNames {
  @IsString()
  @IsNotEmpty()
  name: string;

  @IsOptional()
  @IsIn(RECORD_TYPES)
  type?: (typeof RECORD_TYPES)[number];

  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  values?: string[];

  @IsOptional()
  @IsIn(DNS_FAULTS)
  fault?: (typeof DNS_FAULTS)[number];
}

export class ClockStep {
  @IsString()
  @Matches(/^\d{1,6}[smhd]$/, { message: '$property must be a number and s, m, h or d, such as 21h.' })
  advance: string;
}

export class SettleOptions {
  @IsOptional()
  @IsInt()
  account?: number;
}
