import { applyDecorators } from '@nestjs/common';
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
import { IsOneOf, IsPositiveInteger } from '../../platform/http/input/rules';
import { DNS_FAULTS, RECORD_TYPES } from './names';
import { type Answer, type AnswerRule, FAULTS, type SentFilter } from './recorder';

const TYPES = [...CHANNELS.keys()];
/** Longer than any attempt's deadline. */
const MAX_DELAY_MS = 60_000;

const Optional = (...rules: PropertyDecorator[]) => applyDecorators(IsOptional(), ...rules);
const Texts = () => applyDecorators(IsArray(), IsString({ each: true }));

export class NewAccount {
  @Optional(IsString(), Length(1, 128)) name?: string;
  @Optional(Texts()) scopes?: string[];
}

export class SentQuery implements SentFilter {
  @Optional(IsPositiveInteger('Id of the account.')) account?: number;
  @Optional(IsOneOf(TYPES, 'Type of the handler.')) type?: string;
  @Optional(IsPositiveInteger('Id of the handler.')) handler_id?: number;
  @Optional(IsPositiveInteger('Id of the message.')) message_id?: number;
}

class AnswerBody implements Answer {
  @Optional(IsInt(), Min(200), Max(599)) status?: number;
  @Optional(IsObject()) headers?: Record<string, string>;
  @Optional(IsString()) body?: string;
  @Optional(IsInt(), Min(0), Max(MAX_DELAY_MS)) delay_ms?: number;
  @Optional(IsIn(FAULTS)) fault?: Answer['fault'];
}

export class NewAnswers implements AnswerRule {
  @Optional(IsInt()) account?: number;
  @Optional(IsInt()) handler_id?: number;
  @Optional(IsIn(TYPES)) type?: string;
  @Optional(IsString()) host?: string;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => AnswerBody)
  answers: AnswerBody[];

  @Optional(ValidateNested(), Type(() => AnswerBody)) then?: AnswerBody;
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

export class ClockStep {
  @IsString()
  @Matches(/^\d{1,6}[smhd]$/, { message: '$property must be a number and s, m, h or d, such as 21h.' })
  advance: string;
}

export class SettleOptions {
  @Optional(IsInt()) account?: number;
}
