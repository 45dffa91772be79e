import {
  Body,
  ClassSerializerInterceptor,
  Controller,
  Get,
  HttpCode,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { NoFilesInterceptor } from '@nestjs/platform-express';
import { CreateDomain, PageQuery, UpdateDomain } from './domain.dto';
import { DomainsService } from './domains.service';
import { AccountId, KeyGuard } from './key.guard';

@Controller('api/domains')
@UseGuards(KeyGuard)
@UseInterceptors(ClassSerializerInterceptor)
export class DomainsController {
  constructor(private readonly domains: DomainsService) {}

  @Get()
  async findPage(@AccountId() accountId: number, @Query() { page, results_per_page }: PageQuery) {
    const size = results_per_page ?? 25;
    const [data, total] = await this.domains.findPage(accountId, page, size);
    const pages = Math.ceil(total / size);
    const suffix = results_per_page ? `&results_per_page=${size}` : '';
    const link = (number: number) => `${process.env.PUBLIC_URL}/api/domains?&page=${number}${suffix}`;
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

  @Get(':id')
  async findOne(@AccountId() accountId: number, @Param('id', ParseIntPipe) id: number) {
    return { data: await this.domains.findOne(accountId, id) };
  }

  @Post()
  @UseInterceptors(NoFilesInterceptor())
  async create(@AccountId() accountId: number, @Body() input: CreateDomain) {
    return { data: await this.domains.create(accountId, input) };
  }

  @Post(':id')
  @HttpCode(200)
  @UseInterceptors(NoFilesInterceptor())
  async update(@AccountId() accountId: number, @Param('id', ParseIntPipe) id: number, @Body() changes: UpdateDomain) {
    return { data: await this.domains.update(accountId, id, changes) };
  }
}
