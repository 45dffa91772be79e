import { PartialType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import {
  contains,
  CreationTime,
  equals,
  type FieldType,
  listQuery,
  NullableTimeField,
  RecordField,
  rule,
  text,
  TIME,
  times,
  UpdateTime,
} from 'frontdesk';

export const CODE = text(32, 'SPRING10');
export const PERCENT = integerUpTo(100, 10);
export const MAX_REDEMPTIONS = integerUpTo(1_000_000, 50);

const IsCode = rule('isCode', CODE);
const IsPercent = rule('isPercent', PERCENT);
const IsMaxRedemptions = rule('isMaxRedemptions', MAX_REDEMPTIONS);
const IsTime = rule('isTime', TIME);

export class CreateCoupon {
  @IsCode('What the customer enters; unique in the account.')
  code: string;

  @IsPercent('Discount.')
  percent: number;

  @IsOptional()
  @IsMaxRedemptions('How often it can be redeemed; once by default.')
  max_redemptions?: number;

  @IsOptional()
  @IsTime('When it expires, in UTC; null for never.', { nullable: true })
  valid_until?: string | null;
}

export class UpdateCoupon extends PartialType(CreateCoupon) {}

export class CouponQuery extends listQuery({
  filters: { code: contains('code_folded', 'spring'), percent: equals(PERCENT), ...times() },
  orderby: ['code', 'percent', 'datetime'],
}) {}

export class CouponRecord {
  @RecordField({ type: 'integer', example: 7 })
  id: number;

  @RecordField({ type: 'string', example: 'SPRING10' })
  code: string;

  @RecordField({ type: 'integer', example: 10 })
  percent: number;

  @RecordField({ type: 'integer', example: 50 })
  max_redemptions: number;

  @RecordField({ type: 'integer', example: 3 })
  redeemed: number;

  @NullableTimeField('When it expires, in UTC; null for never.', null)
  valid_until: string | null;

  @UpdateTime()
  last_datetime: string | null;

  @CreationTime()
  datetime: string;
}

function integerUpTo(maximum: number, example: number): FieldType<number> {
  return {
    expected: `an integer from 1 to ${maximum}`,
    schema: { type: 'integer', minimum: 1, maximum, examples: [example] },
    parse: (value) => (/^[1-9]\d{0,6}$/.test(value) && Number(value) <= maximum ? Number(value) : undefined),
  };
}
