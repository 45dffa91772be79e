import { applyDecorators, Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/route-policies';
import { Dialect } from '../database/dialect';
import { RequestError } from '../common/errors';
import { Shutdown } from '../http/server/http-server';

@Public()
@ApiTags('Health')
@Controller('health')
export class HealthController {
  private pendingCheck?: Promise<boolean>;

  constructor(
    private readonly dialect: Dialect,
    private readonly shutdown: Shutdown,
  ) {}

  @HealthRoute('live', 'Check liveness', 'The process is running.')
  live() {
    return { status: 'ok' };
  }

  @HealthRoute('ready', 'Check readiness', 'The service is ready.')
  async ready() {
    if (this.shutdown.isDraining) throw RequestError.unavailable('The service is shutting down.');
    if (!(await this.isDatabaseServing())) throw RequestError.unavailable('The database is not responding, or is read-only.');
    return { status: 'ok' };
  }

  /** Concurrent requests share one check, because anyone may call this route. */
  private isDatabaseServing(): Promise<boolean> {
    this.pendingCheck ??= this.dialect.isServing().finally(() => (this.pendingCheck = undefined));
    return this.pendingCheck;
  }
}

function HealthRoute(path: string, summary: string, description: string): MethodDecorator {
  const properties = { status: { type: 'string', enum: ['ok'], examples: ['ok'] } };
  return applyDecorators(
    Get(path),
    ApiOperation({ summary }),
    ApiOkResponse({ description, schema: { type: 'object', required: ['status'], properties } }),
  );
}
