import { Readable } from 'node:stream';
import {
  BadRequestException,
  Body,
  CanActivate,
  ConflictException,
  Controller,
  DefaultValuePipe,
  type ExecutionContext,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  HttpException,
  ImATeapotException,
  InternalServerErrorException,
  type MiddlewareConsumer,
  Module,
  NestInterceptor,
  type NestModule,
  NotFoundException,
  Param,
  ParseArrayPipe,
  ParseIntPipe,
  ParseUUIDPipe,
  Patch,
  PipeTransform,
  Post,
  Put,
  Query,
  Redirect,
  Req,
  ServiceUnavailableException,
  Sse,
  StreamableFile,
  UnauthorizedException,
  UnprocessableEntityException,
  UploadedFile,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { Expose, Transform, Type } from 'class-transformer';
import {
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import express, { type Request } from 'express';
import { from, of } from 'rxjs';
import { Public, Scope } from '../../../src/auth/route-policies';
import { FormLimits } from '../../../src/platform/http/input/body-reader';
import { AcceptsFiles } from '../../../src/platform/http/input/uploads';

const EXCEPTIONS: Record<string, () => Error> = {
  'not-found': () => new NotFoundException('No such contact'),
  conflict: () => new ConflictException('This contact exists'),
  forbidden: () => new ForbiddenException('Not yours'),
  'bad-request': () => new BadRequestException('Give a name'),
  'bad-request-list': () => new BadRequestException(['name must be text', 'age must be a number']),
  unprocessable: () => new UnprocessableEntityException('Can not be merged'),
  unauthorized: () => new UnauthorizedException('Log in again'),
  teapot: () => new ImATeapotException('Short and stout'),
  object: () => new HttpException({ status: 403, error: 'This is a custom message' }, 403),
  silent: () => new NotFoundException(),
  'own-code': () => new ConflictException({ code: 'coupon_used_up', message: 'All gone' }),
  'own-code-of-ours': () => new HttpException({ code: 'limit_reached', message: 'No more' }, 409),
  'own-code-malformed': () => new ConflictException({ code: 'Coupon-used-up', message: 'All gone' }),
  'own-code-long': () => new ConflictException({ code: 'a'.repeat(65), message: 'All gone' }),
  'own-code-number': () => new ConflictException({ code: 7, message: 'All gone' }),
  'own-code-list': () => new BadRequestException({ code: 'coupon_used_up', message: ['One', 'Two'] }),
  internal: () => new InternalServerErrorException('The printer is on fire'),
  unavailable: () => new ServiceUnavailableException('Come back later'),
  unnamed: () => new HttpException('An odd one', 499),
  middleware: () => Object.assign(new Error('Too short'), { status: 400, statusCode: 400, expose: true }),
  fault: () => new Error('a secret'),
  uri: () => new URIError('a secret'),
};

class No implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

class Thrower implements NestInterceptor {
  intercept(): never {
    throw new ConflictException('Not now');
  }
}

class Refusing implements PipeTransform {
  transform(): never {
    throw new BadRequestException('Not like this');
  }
}

@Public()
@Controller('habits/exceptions')
class ExceptionsController {
  @Get('false')
  @UseGuards(No)
  guarded() {}

  @Get('interceptor')
  @UseInterceptors(Thrower)
  intercepted() {}

  @Get('pipe')
  piped(@Query('q', Refusing) _q: string) {}

  @Get('async/:name')
  async later(@Param('name') name: string) {
    await Promise.resolve();
    throw EXCEPTIONS[name]();
  }

  @Get(':name')
  now(@Param('name') name: string) {
    throw EXCEPTIONS[name]();
  }
}

class Address {
  @IsString()
  @IsNotEmpty()
  street: string;

  @IsInt()
  number: number;
}

class Contact {
  @IsString()
  @IsNotEmpty()
  name: string;

  @IsInt()
  @Min(0)
  @Max(150)
  age: number;

  @IsBoolean()
  @IsOptional()
  active?: boolean;

  @IsArray()
  @ArrayMinSize(1)
  @IsString({ each: true })
  @IsOptional()
  tags?: string[];

  @ValidateNested({ each: true })
  @Type(() => Address)
  @IsOptional()
  addresses?: Address[];
}

class Search {
  @IsInt()
  @Min(1)
  @Type(() => Number)
  @IsOptional()
  size?: number;

  @IsIn(['name', 'age'])
  @IsOptional()
  order?: string;
}

class Tagged {
  @IsString()
  @IsNotEmpty()
  title: string;

  @IsArray()
  @IsOptional()
  tags?: string[];
}

class Numbered {
  @IsInt()
  @Type(() => Number)
  id: number;
}

/** Accepts no field, as it has no decorator. */
class Bare {
  name: string;
}

class Exposing {
  @Expose()
  @Transform(({ value }: { value?: string }) => value ?? 'computed')
  @IsOptional()
  @IsString()
  colour?: string;
}

class Splitting {
  @Expose()
  @Transform(({ value }: { value: string }) => value.split(','))
  @IsArray()
  ids: string[];
}

class Conditional {
  @IsOptional()
  @IsString()
  kind?: string;

  @ValidateIf(({ kind }: Conditional) => kind === undefined)
  @IsString()
  colour: string;
}

class Seen implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<Request & { seen?: unknown }>();
    request.seen = request.body;
    return true;
  }
}

const DROPPING = new ValidationPipe({ whitelist: true });

@Public()
@Controller('habits/input')
class InputController {
  @Get('query')
  query(@Query('q') q: string) {
    return { q };
  }

  @Get('page')
  page(@Query('n', new DefaultValuePipe(1), ParseIntPipe) n: number) {
    return { n };
  }

  @Get('all')
  all(@Query() query: Record<string, string>) {
    return query;
  }

  @Get('search')
  search(@Query() search: Search) {
    return { isSearch: search instanceof Search, ...search };
  }

  @Get('exposing')
  exposing(@Query() query: Exposing) {
    return query;
  }

  @Get('splitting')
  splitting(@Query() query: Splitting) {
    return query;
  }

  @Get('conditional')
  conditional(@Query() query: Conditional) {
    return query;
  }

  @Post('seen')
  @UseGuards(Seen)
  seen(@Body() _body: Search, @Req() request: Request & { seen?: unknown }) {
    return { seen: request.seen };
  }

  @Get('none')
  none() {
    return {};
  }

  @Get('slug/:slug')
  slug(@Param('slug') slug: string) {
    return { slug };
  }

  @Get('uuid/:id')
  uuid(@Param('id', ParseUUIDPipe) id: string) {
    return { id };
  }

  @Get('int/:id')
  int(@Param('id', ParseIntPipe) id: number) {
    return { id };
  }

  @Post('contact')
  contact(@Body() contact: Contact) {
    return { isContact: contact instanceof Contact, ...contact };
  }

  @Post('dropping')
  dropping(@Body(DROPPING) contact: Contact) {
    return contact;
  }

  @Post('parsed')
  parsed(@Body() contact: Contact) {
    return { isContact: contact instanceof Contact, ...contact };
  }

  @Post('name')
  name(@Body('name') name: string) {
    return { name };
  }

  @FormLimits({ fields: 400 })
  @Post('record')
  record(@Body() body: Record<string, unknown>) {
    return body;
  }

  @Post('bare')
  bare(@Body() body: Bare) {
    return body;
  }

  @Post('list')
  list(@Body(new ParseArrayPipe({ items: Address })) addresses: Address[]) {
    return { count: addresses.length };
  }

  @Post('request')
  request(@Req() request: Request) {
    return { body: request.body as unknown };
  }

  @Post('tagged')
  tagged(@Body() tagged: Tagged) {
    return tagged;
  }

  @AcceptsFiles(300 * 1024)
  @UseInterceptors(FileInterceptor('photo'))
  @Post('photo')
  photo(@Body() tagged: Tagged, @UploadedFile() file?: Express.Multer.File) {
    return { ...tagged, isTagged: tagged instanceof Tagged, size: file?.size ?? null };
  }

  @UseInterceptors(FileInterceptor('photo'))
  @Post('alone')
  alone(@UploadedFile() file?: Express.Multer.File) {
    return { size: file?.size };
  }

  @AcceptsFiles(1_000)
  @UseInterceptors(FileInterceptor('photo'))
  @Post('small')
  small(@UploadedFile() file?: Express.Multer.File) {
    return { size: file?.size };
  }

  @Get('number/:id')
  number(@Param() { id }: Numbered) {
    return { id };
  }

  @UseInterceptors(FileInterceptor('photo'))
  @Post('unsaid')
  unsaid(@Body() tagged: Tagged) {
    return tagged;
  }

  @Put(':id')
  put(@Param('id') id: string, @Body() body: Tagged) {
    return { id, ...body };
  }

  @Patch(':id')
  patch(@Param('id') id: string, @Body('title') title: string) {
    return { id, title };
  }
}

const BYTES = Buffer.from([0, 255, 1, 254]);

@Public()
@Controller('habits/answers')
class AnswersController {
  @Get('file')
  file() {
    return new StreamableFile(Readable.from([BYTES]), { type: 'image/x-test', disposition: 'attachment; filename="a.bin"' });
  }

  @Get('buffer')
  buffer() {
    return BYTES;
  }

  @Get('csv')
  @Header('Content-Type', 'text/csv')
  csv() {
    return 'a,b\n1,2\n';
  }

  @Get('csv-buffer')
  @Header('Content-Type', 'text/csv')
  csvBuffer() {
    return Buffer.from('a,b\n1,2\n');
  }

  @Get('text')
  text() {
    return 'hello';
  }

  @Get('problem')
  @Header('Content-Type', 'application/problem+json')
  problem() {
    return { title: 'A problem' };
  }

  @Get('failing-csv')
  @Header('Content-Type', 'text/csv')
  failing() {
    throw new NotFoundException('No such table');
  }

  @HttpCode(204)
  @Post('nothing')
  nothing() {}

  @Get('null')
  null() {
    return null;
  }

  @Redirect('https://example.com/elsewhere', 301)
  @Get('redirect')
  redirect() {}

  @Redirect()
  @Get('redirect-later')
  redirectLater() {
    return { url: 'https://example.com/later', statusCode: 307 };
  }

  @Sse('events')
  events() {
    return from([{ data: { n: 1 } }, { data: { n: 2 } }]);
  }

  @Get('observable')
  observable() {
    return of({ n: 1 });
  }

  @Get('list')
  list() {
    return [1, 'two', null];
  }
}

/** The scope and DTO of these handlers differ by controller. */
abstract class Inherited {
  @Get()
  read() {
    return { by: this.constructor.name };
  }

  @Post()
  write(@Body() body: object) {
    return body;
  }
}

@Scope('domains:read')
@Controller('habits/inherited/domains')
class DomainsHeir extends Inherited {}

@Scope('notifications:read')
@Controller('habits/inherited/notifications')
class NotificationsHeir extends Inherited {}
Reflect.defineMetadata('design:paramtypes', [Contact], DomainsHeir.prototype, 'write');
Reflect.defineMetadata('design:paramtypes', [Tagged], NotificationsHeir.prototype, 'write');

@Public()
@Controller('habits/open')
class OpenController {
  @Get()
  open() {
    return {};
  }

  @Scope('domains:read')
  @Get('closed')
  closed() {
    return {};
  }
}

@Scope('domains:read')
@Controller('habits/closed')
class ClosedController {
  @Get()
  closed() {
    return {};
  }

  @Public()
  @Get('open')
  open() {
    return {};
  }
}

/** An extension written the way that Nest's documentation teaches. */
@Module({
  controllers: [ExceptionsController, InputController, AnswersController, DomainsHeir, NotificationsHeir, OpenController, ClosedController],
})
export class HabitsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(express.json()).forRoutes('habits/input/parsed');
  }
}
