import { Controller, Injectable, UseGuards } from '@nestjs/common';
import { Crud, CrudAuth, type CrudController, type CrudRequest, type GetManyDefaultResponse, Override, ParsedRequest } from '@dataui/crud';
import { RequestQueryBuilder } from '@dataui/crud-request';
import { TypeOrmCrudService } from '@dataui/crud-typeorm';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Domain } from './domain.entity';
import { KeyGuard } from './key.guard';

RequestQueryBuilder.setOptions({ paramNamesMap: { limit: 'results_per_page' } });

@Injectable()
export class DomainsService extends TypeOrmCrudService<Domain> {
  constructor(@InjectRepository(Domain) repository: Repository<Domain>) {
    super(repository);
  }
}

@Crud({
  model: { type: Domain },
  query: {
    exclude: ['account_id', 'custom_not_found_url'],
    sort: [{ field: 'id', order: 'ASC' }],
    limit: 25,
    maxLimit: 1000,
    alwaysPaginate: true,
  },
  routes: { only: ['getManyBase', 'getOneBase'] },
})
@CrudAuth({ filter: ({ accountId }: { accountId: number }) => ({ account_id: accountId }) })
@Controller('api/domains')
@UseGuards(KeyGuard)
export class DomainsController implements CrudController<Domain> {
  constructor(readonly service: DomainsService) {}

  @Override()
  async getMany(@ParsedRequest() request: CrudRequest) {
    return envelope((await this.service.getMany(request)) as GetManyDefaultResponse<Domain>, request.parsed.limit);
  }

  @Override()
  async getOne(@ParsedRequest() request: CrudRequest) {
    return { data: await this.service.getOne(request) };
  }
}

/** The library's page in this service's words, so that the answers can be compared. */
function envelope({ data, total, page, pageCount: pages }: GetManyDefaultResponse<Domain>, size?: number) {
  const link = (number: number) => `${process.env.PUBLIC_URL}/api/domains?&page=${number}${size ? `&results_per_page=${size}` : ''}`;
  return {
    data,
    meta: { page, results_per_page: size ?? 25, total, total_pages: pages },
    links: {
      first: link(1),
      last: link(Math.max(pages, 1)),
      next: page < pages ? link(page + 1) : null,
      prev: page > 1 ? link(Math.min(page - 1, Math.max(pages, 1))) : null,
      self: link(page),
    },
  };
}
