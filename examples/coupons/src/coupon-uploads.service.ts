import { Injectable } from '@nestjs/common';
import { type Page, type PageRequest, Records, type RecordTable, RequestError, type WriteContext, WriteExecutor } from 'frontdesk';
import { CouponUpload, CouponUploadRecord, parseCoupons } from './coupon-upload';
import { CouponRecord } from './coupon.dto';
import { Coupon } from './coupon.entity';

/** What multer has read. */
export interface UploadedCsv {
  originalname: string;
  buffer: Buffer;
}

@Injectable()
export class CouponUploadsService {
  private readonly uploads: RecordTable<CouponUploadRecord>;
  private readonly coupons: RecordTable<CouponRecord>;

  constructor(
    private readonly records: Records,
    private readonly executor: WriteExecutor,
  ) {
    this.uploads = records.table<CouponUploadRecord>(CouponUpload, CouponUploadRecord);
    this.coupons = records.table<CouponRecord>(Coupon, CouponRecord);
  }

  findPage(accountId: number, request: PageRequest): Promise<Page<CouponUploadRecord>> {
    return this.records.findPage(this.uploads, accountId, request);
  }

  /** All coupons of the file or none. @throws RequestError for a bad file */
  async create(context: WriteContext, file?: UploadedCsv): Promise<number> {
    if (!file) throw RequestError.of('missing_parameter', 'file is required.', { in: 'form', name: 'file' });
    const rows = parseCoupons(file.buffer.toString());
    return this.executor.runOnce(context, async (transaction) => {
      const upload = { file_name: file.originalname.slice(0, 255), coupons: rows.length };
      const id = await this.records.insertWithin(transaction, this.uploads, context, upload);
      for (const row of rows) await this.records.insertWithin(transaction, this.coupons, context, { ...row });
      return id;
    });
  }
}
