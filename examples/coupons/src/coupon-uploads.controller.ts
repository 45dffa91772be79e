import { Controller, Get, Post, Query, Res, UploadedFile, UseInterceptors } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  AcceptsFiles,
  AccountId,
  ApiCreate,
  asCreated,
  Config,
  PageQuery,
  Paginated,
  Scope,
  type WriteContext,
  WriteContextOf,
} from 'frontdesk';
import { CouponUploadRecord } from './coupon-upload';
import { CouponUploadsService, type UploadedCsv } from './coupon-uploads.service';

const FILE = { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } };

@ApiTags('Coupons')
@Controller('api/coupon-uploads')
export class CouponUploadsController {
  constructor(
    private readonly uploads: CouponUploadsService,
    private readonly config: Config,
  ) {}

  @Scope('coupons:read')
  @Get()
  @Paginated(CouponUploadRecord, 'List uploads of coupons')
  findPage(@AccountId() accountId: number, @Query() query: PageQuery) {
    return this.uploads.findPage(accountId, query);
  }

  @Scope('coupons:write')
  @AcceptsFiles(64 * 1024)
  @UseInterceptors(FileInterceptor('file'))
  @Post()
  @ApiCreate('Upload a CSV of coupons')
  @ApiBody({ schema: FILE })
  create(
    @WriteContextOf() context: WriteContext,
    @UploadedFile() file: UploadedCsv | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asCreated(this.uploads.create(context, file), response, `${this.config.publicUrl}/api/coupon-uploads`);
  }
}
