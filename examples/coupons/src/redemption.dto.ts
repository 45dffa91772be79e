import { CreationTime, Field, listQuery, RECORD_ID, RecordField, refersTo, text } from 'frontdesk';

export class CreateRedemption {
  @Field(RECORD_ID, 'The coupon.')
  coupon_id: number;

  @Field(text(64, 'Ana Lima'), 'Who redeems it.')
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
