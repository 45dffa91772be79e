import { applyDecorators, Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../auth/public.decorator';
import { Dialect } from '../database/dialect';
import { RequestError } from '../http/errors/request-error';
import { Shutdown } from '../http/server/shutdown';

/** What an orchestrator asks: is the process alive, and should it get requests. */
@Public()
@ApiTags('Health')
@Controller('health')
export class HealthController {
  private asking?: Promise<boolean>;

  constructor(
    private readonly dialect: Dialect,
    private readonly shutdown: Shutdown,
  ) {}

  @HealthRoute('live', 'Check liveness', 'The process runs.')
  live() {
    return { status: 'ok' };
  }

  @HealthRoute('ready', 'Check readiness', 'The service can answer.')
  async ready() {
    if (this.shutdown.begun) throw RequestError.unavailable('The service is shutting down.');
    if (!(await this.isDatabaseServing())) throw RequestError.unavailable('The database does not answer.');
    return { status: 'ok' };
  }

  /** Asked once for all who want to know at a time: nobody needs a key for it. */
  private isDatabaseServing(): Promise<boolean> {
    this.asking ??= this.dialect.isServing().finally(() => (this.asking = undefined));
    return this.asking;
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
