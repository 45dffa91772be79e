import {
  ClassSerializerInterceptor,
  Controller,
  Get,
  NotFoundException,
  Param,
  ParseIntPipe,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Paginate, paginate, type PaginateConfig, type Paginated, type PaginateQuery } from 'nestjs-paginate';
import { Repository } from 'typeorm';
import { Domain } from './domain.entity';
import { AccountId, KeyGuard } from './key.guard';

const CONFIG: PaginateConfig<Domain> = {
  sortableColumns: ['id'],
  defaultSortBy: [['id', 'ASC']],
  defaultLimit: 25,
  maxLimit: 1000,
  select: ['id', 'scheme', 'host', 'custom_index_url', 'is_enabled', 'last_datetime', 'datetime'],
};

@Controller('api/domains')
@UseGuards(KeyGuard)
@UseInterceptors(ClassSerializerInterceptor)
export class DomainsController {
  constructor(@InjectRepository(Domain) private readonly domains: Repository<Domain>) {}

  @Get()
  async findPage(@AccountId() account_id: number, @Paginate() query: PaginateQuery, @Query('results_per_page') size?: string) {
    const limit = size ? Number(size) : undefined;
    return envelope(await paginate({ ...query, limit }, this.domains, { ...CONFIG, where: { account_id } }), size);
  }

  @Get(':id')
  async findOne(@AccountId() account_id: number, @Param('id', ParseIntPipe) id: number) {
    const data = await this.domains.findOneBy({ account_id, id });
    if (!data) throw new NotFoundException();
    return { data };
  }
}

/** The library's page in this service's words, so that the answers can be compared. */
function envelope({ data, meta }: Paginated<Domain>, size?: string) {
  const { currentPage: page = 1, itemsPerPage, totalItems: total = 0, totalPages: pages = 0 } = meta;
  const link = (number: number) => `${process.env.PUBLIC_URL}/api/domains?&page=${number}${size ? `&results_per_page=${size}` : ''}`;
  return {
    data,
    meta: { page, results_per_page: itemsPerPage, total, total_pages: pages },
    links: {
      first: link(1),
      last: link(Math.max(pages, 1)),
      next: page < pages ? link(page + 1) : null,
      prev: page > 1 ? link(Math.min(page - 1, Math.max(pages, 1))) : null,
      self: link(page),
    },
  };
}
