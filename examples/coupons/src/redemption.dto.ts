import { CreationTime, IsRecordId, IsText, listQuery, RECORD_ID, RecordField, refersTo } from 'frontdesk';

export class CreateRedemption {
  @IsRecordId('The coupon.')
  coupon_id: number;

  @IsText(64, 'Who redeems it.', { example: 'Ana Lima' })
  customer: string;
}

export class RedemptionQuery extends listQuery({ filters: { coupon_id: refersTo(RECORD_ID) }, orderby: [] }) {}

export class RedemptionRecord {
  @RecordField({ type: 'integer', example: 3 })
  id: number;

  @RecordField({ type: 'integer', example: 7 })
  coupon_id: number;

  @RecordField({ type: 'string', example: 'Ana Lima' })
  customer: string;

  @CreationTime()
  datetime: string;
}
