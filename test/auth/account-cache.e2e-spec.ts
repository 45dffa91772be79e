/** @mysql never */
import { CacheInterceptor, CacheKey, CacheModule } from '@nestjs/cache-manager';
import { Controller, Get, Module, UseInterceptors } from '@nestjs/common';
import { AccountCacheInterceptor, AccountId, CallerHasScope, Public, Scope, type ScopeName } from '../../src/public';
import { useApplication } from '../support/http/application';
import type { Client } from '../support/http/client';

let answers = 0;

@Scope('domains:read')
@UseInterceptors(AccountCacheInterceptor(CacheInterceptor))
@Controller('cached')
class CachedController {
  @Get()
  find(@AccountId() accountId: number) {
    return { accountId, answer: ++answers };
  }

  @CacheKey('named')
  @Get('named')
  findNamed(@AccountId() accountId: number) {
    return { accountId, answer: ++answers };
  }

  @Get('secret')
  findSecret(@CallerHasScope('secrets:read') isShown: boolean) {
    return { isShown, answer: ++answers };
  }

  @Public()
  @Get('open')
  findOpen() {
    return { answer: ++answers };
  }
}

@Module({ imports: [CacheModule.register()], controllers: [CachedController] })
class CachedModule {}

const { application } = useApplication({}, CachedModule);

const bodyOf = async (client: Client, path: string) => (await client.get(path).expect(200)).body as { answer: number };

test.each(['/cached', '/cached/named'])('GET %s is cached per account', async (path) => {
  const [one, two] = [await application().createAccount(), await application().createAccount()];
  const first = await bodyOf(one.client, path);
  expect(first).toMatchObject({ accountId: one.id });
  expect(await bodyOf(one.client, path)).toEqual(first);
  expect(await bodyOf(two.client, path)).toMatchObject({ accountId: two.id });
});

test('keys with the same scopes in any order share a cached response', async () => {
  const { id } = await application().createAccount();
  const keyWith = async (...scopes: ScopeName[]) => (await application().createKey(id, { scopes })).client;
  const shown = await bodyOf(await keyWith('domains:read', 'secrets:read'), '/cached/secret');
  expect(shown).toMatchObject({ isShown: true });
  expect(await bodyOf(await keyWith('domains:read'), '/cached/secret')).toMatchObject({ isShown: false });
  expect(await bodyOf(await keyWith('secrets:read', 'domains:read'), '/cached/secret')).toEqual(shown);
});

test('a public route is cached for everybody', async () => {
  const first = await bodyOf(application().client(), '/cached/open');
  expect(await bodyOf((await application().createAccount()).client, '/cached/open')).toEqual(first);
});
