import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Public } from '../auth/public.decorator';
import { RequestError } from '../http/request-error';
import { Shutdown } from './shutdown';

const READY_MILLISECONDS = 1_500;

/** What an orchestrator asks: is the process alive, and should it get requests. */
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly shutdown: Shutdown,
  ) {}

  @Get('live')
  live() {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready() {
    if (this.shutdown.begun) throw unavailable('The service is shutting down.');
    if (!(await this.databaseAnswers())) throw unavailable('The database does not answer.');
    return { status: 'ok' };
  }

  private databaseAnswers(): Promise<boolean> {
    const answer = this.dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    );
    const deadline = new Promise<boolean>((resolve) => setTimeout(resolve, READY_MILLISECONDS, false).unref());
    return Promise.race([answer, deadline]);
  }
}

function unavailable(detail: string): RequestError {
  return new RequestError([{ code: 'unavailable', detail }], { 'Retry-After': '1' });
}
