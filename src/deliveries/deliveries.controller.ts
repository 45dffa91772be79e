import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, WriteContextOf } from '../auth/caller';
import { Scope } from '../auth/route-policies';
import type { WriteContext } from '../platform/common/write-context';
import { ParseRecordIdPipe } from '../platform/http/input/parse-record-id.pipe';
import { RefusesIdempotencyKey } from '../platform/http/input/idempotency-key';
import { ApiAction, ApiFormAction, ApiIfMatch, ApiRead, ApiResult, Paginated, ApiError } from '../platform/http/routes';
import { asData, asId, asRecord } from '../platform/http/responses';
import { DeliveriesService } from './deliveries.service';
import { DeliveryRetries } from './delivery-retries';
import { DeliveryStatistics, StatisticsQuery } from './statistics.dto';
import { StatisticsService } from './statistics.service';
import { DeliveryQuery, DeliveryRecord, DeliveryWithLog, RetryCounts, RetryDeliveries } from './delivery.dto';

@ApiTags('Messages')
@Controller('api/deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly retries: DeliveryRetries,
    private readonly statistics: StatisticsService,
  ) {}

  @Scope('messages:read')
  @Get()
  @Paginated(DeliveryRecord, 'List deliveries')
  findPage(@AccountId() accountId: number, @Query() query: DeliveryQuery) {
    return this.deliveries.findPage(accountId, query);
  }

  @Scope('messages:read')
  @Get('statistics')
  @ApiResult(DeliveryStatistics, 'Count deliveries by hour or day')
  count(@AccountId() accountId: number, @Query() query: StatisticsQuery) {
    return asData(this.statistics.read(accountId, query));
  }

  @Scope('messages:read')
  @Get(':delivery_id')
  @ApiRead('delivery_id', DeliveryWithLog, 'Read a delivery with its attempts')
  find(
    @AccountId() accountId: number,
    @Param('delivery_id', ParseRecordIdPipe) id: number,
    @Res({ passthrough: true }) response: Response,
  ) {
    return asRecord(this.deliveries.find(accountId, id), response);
  }

  @Scope('messages:write')
  @Post(':delivery_id/retry')
  @HttpCode(200)
  @ApiAction('delivery_id', 'Retry a failed delivery')
  @ApiIfMatch()
  @ApiError('delivery_not_failed')
  @ApiError('delivery_expired')
  @ApiError('delivery_obsolete')
  retry(@WriteContextOf() context: WriteContext, @Param('delivery_id', ParseRecordIdPipe) id: number) {
    return asId(this.retries.retry(context, id));
  }

  @Scope('messages:write')
  @RefusesIdempotencyKey()
  @Post('retry')
  @HttpCode(200)
  @ApiFormAction(RetryCounts, 'Retry failed deliveries', {
    description: 'Retries up to 1,000 failed deliveries that match every field; at least one field is required.',
  })
  retryMatching(@WriteContextOf() context: WriteContext, @Body() input: RetryDeliveries) {
    return asData(this.retries.retryMatching(context, input));
  }
}
