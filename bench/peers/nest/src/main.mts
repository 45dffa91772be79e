import 'reflect-metadata';
import { createHash, hash, randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import {
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UnauthorizedException,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, NoFilesInterceptor } from '@nestjs/platform-express';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import express, { type NextFunction, type Request, type Response } from 'express';
import { pino } from 'pino';
import { Counter, Histogram } from 'prom-client';
import { map, type Observable } from 'rxjs';

const { PORT, PUBLIC_URL = '', BENCH_KEYS = '{}', BENCH_SAME, DATABASE_URL = '' } = process.env;

interface Caller {
  accountId: number;
}
type Row = Record<string, unknown>;
type Fields = Record<string, string>;
type Database = object;
interface ByHand {
  LISTS: Record<string, object>;
  listPage(database: Database, list: object, accountId: number, page: number, size: number): Promise<{ total: number; records: Row[] }>;
  readDomain(database: Database, accountId: number, id: number): Promise<Row | undefined>;
  createDomain(database: Database, accountId: number, fields: object): Promise<number>;
  updateDomain(database: Database, accountId: number, id: number, fields: object): Promise<boolean>;
  audited<T>(database: Database, accountId: number, action: string, write: (statements: Database) => Promise<T>): Promise<T>;
}
interface Driver {
  connect(url: string): Database;
}

/** The statements and their driver are those of `by-hand`, so that the difference is Nest's. */
const byHand = (name: string) => import(new URL(`../../by-hand/${name}.mjs`, import.meta.url).href);
const { LISTS, listPage, readDomain, createDomain, updateDomain, audited } = (await byHand('records')) as ByHand;
const { connect } = (await byHand(DATABASE_URL.startsWith('sqlite:') ? 'sqlite' : 'mysql')) as Driver;
const database = connect(DATABASE_URL);

/** What the service does, too, beyond an answer: keys are stored hashed; requests have ids, log lines and metrics; records have ETags. */
const doesTheSame = BENCH_SAME === '1';

class PageQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  page: number = 1;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Max(1000)
  results_per_page?: number;
}

class UpdateDomain {
  @IsOptional()
  @IsString()
  @MaxLength(253)
  host?: string;

  @IsOptional()
  @IsIn(['https://', 'http://'])
  scheme?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2048)
  custom_index_url?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2048)
  custom_not_found_url?: string;
}

class CreateDomain extends UpdateDomain {
  @IsString()
  @MaxLength(253)
  declare host: string;
}

interface AuthorizedRequest extends Request {
  user?: Caller;
}
const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<AuthorizedRequest>();
const AccountId = createParamDecorator((_: unknown, context: ExecutionContext) => requestOf(context).user?.accountId);

const hashed = (key: string) => createHash('sha256').update(key).digest('base64');
const keys = Object.entries(JSON.parse(BENCH_KEYS) as Record<string, number>);
const callers = new Map(keys.map(([key, accountId]): [string, Caller] => [doesTheSame ? hashed(key) : key, { accountId }]));

@Injectable()
class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
    request.user = callers.get(doesTheSame ? hashed(key) : key);
    if (!request.user) throw new UnauthorizedException();
    return true;
  }
}

class Page {
  constructor(
    readonly data: Row[],
    readonly total: number,
    readonly query: PageQuery,
  ) {}
}

@Injectable()
class PaginationInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((found: unknown) => (found instanceof Page ? envelope(found, requestOf(context)) : found)));
  }
}

function envelope({ data, total, query: { page, results_per_page } }: Page, request: Request) {
  const size = results_per_page ?? 25;
  const pages = Math.ceil(total / size);
  const suffix = results_per_page ? `&results_per_page=${size}` : '';
  const link = (number: number) => `${PUBLIC_URL}${request.path.replace(/\/$/, '')}?&page=${number}${suffix}`;
  return {
    data,
    meta: { page, results_per_page: size, total, total_pages: pages },
    links: {
      first: link(1),
      last: link(Math.max(pages, 1)),
      next: page < pages ? link(page + 1) : null,
      prev: page > 1 ? link(Math.min(page - 1, Math.max(pages, 1))) : null,
      self: link(page),
    },
  };
}

@Controller('api/domains')
@UseGuards(KeyGuard)
@UseInterceptors(PaginationInterceptor)
class DomainsController {
  @Get()
  async findPage(@AccountId() accountId: number, @Query() query: PageQuery) {
    const { total, records } = await listPage(database, LISTS['/api/domains'], accountId, query.page, query.results_per_page ?? 25);
    return new Page(records, total, query);
  }

  @Get(':id')
  async findOne(@AccountId() accountId: number, @Param('id', ParseIntPipe) id: number, @Res({ passthrough: true }) response: Response) {
    const record = await readDomain(database, accountId, id);
    if (!record) throw new NotFoundException();
    if (doesTheSame) response.setHeader('ETag', `"${hash('sha256', JSON.stringify(record), 'base64url').slice(0, 22)}"`);
    return { data: record };
  }

  @Post()
  @UseInterceptors(NoFilesInterceptor())
  async create(@AccountId() accountId: number, @Body() input: CreateDomain) {
    const write = (statements: Database) => createDomain(statements, accountId, input);
    return { data: { id: await run(accountId, 'create', write) } };
  }

  @Post(':id')
  @HttpCode(200)
  @UseInterceptors(NoFilesInterceptor())
  async update(@AccountId() accountId: number, @Param('id', ParseIntPipe) id: number, @Body() changes: UpdateDomain) {
    const write = async (statements: Database) => (await updateDomain(statements, accountId, id, given(changes))) && id;
    if (!(await run(accountId, 'update', write))) throw new NotFoundException();
    return { data: { id } };
  }
}

/** The service writes these rows because its interface promises them. */
function run<T>(accountId: number, action: string, write: (statements: Database) => Promise<T>): Promise<T> {
  return doesTheSame ? audited(database, accountId, action, write) : write(database);
}

function given(changes: UpdateDomain): Fields {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Fields;
}

const logger = pino({ base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
const [name, labelNames] = ['http_requests_total', ['method', 'route', 'status']];
const requests = new Counter({ name, help: 'Requests.', labelNames });
const durations = new Histogram({ name: 'http_request_duration_seconds', help: 'Durations.', labelNames: ['method', 'route'] });

function observe(request: AuthorizedRequest, response: Response, next: NextFunction): void {
  const start = performance.now();
  const id = request.headers['x-request-id'] ?? randomUUID();
  response.setHeader('X-Request-Id', id);
  response.on('close', () => {
    const { method } = request;
    const route = (request.route as { path: string } | undefined)?.path ?? 'none';
    const status = response.statusCode;
    const milliseconds = performance.now() - start;
    requests.inc({ method, route, status });
    durations.observe({ method, route }, milliseconds / 1_000);
    logger.info({ request_id: id, method, route, status, duration_ms: milliseconds, account: request.user?.accountId }, 'request');
  });
  next();
}

@Module({ controllers: [DomainsController] })
class AppModule {
  configure(consumer: MiddlewareConsumer): void {
    if (doesTheSame) consumer.apply(observe).forRoutes('*path');
  }
}

/** As in the service, Node creates requests and responses with Express's prototypes: without, Express alone takes most of the time. */
class Adapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<express.Express>();
    class NodeRequest extends IncomingMessage {}
    class NodeResponse extends ServerResponse {}
    app.request = Object.setPrototypeOf(NodeRequest.prototype, app.request) as express.Request;
    app.response = Object.setPrototypeOf(NodeResponse.prototype, app.response) as express.Response;
    this.httpServer = createServer({ IncomingMessage: NodeRequest, ServerResponse: NodeResponse }, app);
  }
}

const server = express().disable('etag').disable('x-powered-by');
const app = await NestFactory.create(AppModule, new Adapter(server), { logger: ['error', 'warn'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
await app.listen(Number(PORT), '127.0.0.1');
