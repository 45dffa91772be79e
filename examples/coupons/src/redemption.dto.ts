import { CreationTime, IsRecordId, IsText, listQuery, RECORD_ID, RecordField, refersTo } from 'frontdesk';

export class CreateRedemption {
  @IsRecordId('The coupon.')
  coupon_id: number;

  @IsText(64, 'Who redeems it.', { example: 'Ana Lima' })
  customer: string;
}

export class RedemptionQuery extends listQuery({ filters: { coupon_id: refersTo(RECORD_ID) }, orderby: [] }) {}

export class RedemptionRecord {
  @RecordField('integer', 3)
  id: number;

  @RecordField('integer', 7)
  coupon_id: number;

  @RecordField('string', 'Ana Lima')
  customer: string;

  @CreationTime()
  datetime: string;
}
