import { DOMAINS, HANDLERS } from '../harness/client.mjs';
import { startControlServer } from '../harness/control-server.mjs';
import { COLLECTIONS, readRecords, seed } from '../harness/seed.mjs';
import { hasSqlmap, runSqlmap } from '../harness/sqlmap.mjs';
import { must, none, tested } from '../harness/table.mjs';

export const name = 'injection';
const CONCURRENT_RUNS = 2;
const FULL_EFFORT = ['--level', '3', '--risk', '2'];
const SHORT_EFFORT = ['--level', '1', '--risk', '1', '--technique', 'BE'];

/** Runs sqlmap on every parameter; that it finds the control server's hole proves that it works. */
export async function run(context) {
  if (!(await hasSqlmap())) {
    if (!context.isShort) throw new Error('sqlmap is not installed: apt-get install sqlmap');
    context.logProgress(`${name}: there is no sqlmap here, so this is left to the whole form`);
    return [];
  }
  const effort = context.either(FULL_EFFORT, SHORT_EFFORT);
  const stage = await context.stage('mariadb');
  const account = await stage.account('searched');
  const { port } = await stage.start();
  await seed(stage, account, port);
  const { lists } = await readRecords(port, account);
  const control = await startControlServer((await context.mariadb()).url());
  const { host } = lists[DOMAINS][0];
  const found = await runSqlmap(stage.folder, { url: `http://127.0.0.1:${control.port}/?host=${host}`, parameter: 'host' }, effort);
  await control.stop();

  const targets = targetsOf(lists, context.isShort);
  const results = new Map();
  const rest = targets.values();
  const work = async () => {
    for (const target of rest) {
      const address = { ...target, url: `http://127.0.0.1:${port}${target.path}` };
      const headers = { Authorization: `Bearer ${account.key}`, ...target.headers };
      const result = await runSqlmap(stage.folder, { ...address, headers }, effort);
      results.set(target, result);
      context.logProgress(`${name}: ${target.method ?? 'GET'} ${target.path}: ${result}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_RUNS }, work));
  const outcomes = [...results.values()];
  return [
    must('the hole of the control', found === 'found' ? 'found' : 'not found', 'found', found === 'found'),
    tested('addresses tried', outcomes.length),
    none('holes found', outcomes.filter((outcome) => outcome === 'found').length),
    none('addresses that could not be tried', outcomes.filter((outcome) => outcome !== 'found' && outcome !== 'clean').length),
  ];
}

/** A star marks an injection point that is not a parameter; without one, all parameters are tested. */
function targetsOf(lists, isShort) {
  const search = '/scheduling?api=agendamentos&nome=ana&telefone=9&data-hora=2026&servico-nome=a&atendente-nome=a&orderby=nome&sort=asc';
  if (isShort) return [{ path: search, parameter: 'nome' }];
  const domain = `${DOMAINS}/${lists[DOMAINS][0].id}`;
  const handler = `${HANDLERS}/${lists['/api/notification-handler'][0].id}`;
  const page = '?page=1&results_per_page=10';
  return [
    { path: search },
    { path: '/scheduling?api=atendentes&atendente-nome=a&atendente-cargo=a&atendente-diponivel=Sim&orderby=atendente-nome&sort=asc' },
    { path: '/scheduling?api=atendenteservico&atendentes-nome=a&servico-nome=a&orderby=servico-nome&sort=desc' },
    { path: '/scheduling?api=horarios&horario-id=a&horario-disponivel=Sim&orderby=horario-id&sort=asc' },
    { path: '/scheduling?api=servicos&servico-nome=a&orderby=servico-nome&sort=asc&page=1&results_per_page=10' },
    ...COLLECTIONS.map(({ api, parameter }) => ({ path: `/scheduling?api=${api}&${parameter}=1`, parameter })),
    ...Object.keys(lists).flatMap((path) => [{ path: path + page }, { path: `${path}/1*` }]),
    {
      path: DOMAINS,
      method: 'POST',
      form: 'host=a.example.com&custom_index_url=https://a.example/&custom_not_found_url=https://a.example/&scheme=https://',
    },
    { path: domain, method: 'POST', form: 'custom_index_url=https://a.example/&custom_not_found_url=https://a.example/' },
    { path: HANDLERS, method: 'POST', form: 'name=Desk&type=telegram&telegram=1:a&telegram_chat_id=@a' },
    { path: handler, method: 'POST', form: 'name=Desk&email=a@example.com&is_enabled=1' },
    { path: `${DOMAINS}/999999*`, method: 'DELETE' },
    { path: `${HANDLERS}/999999*`, method: 'DELETE' },
    { path: DOMAINS, headers: { Authorization: 'Bearer fd_*' } },
    { path: DOMAINS, headers: { 'X-Request-Id': 'a*' } },
    { path: HANDLERS, method: 'POST', form: 'name=Desk&type=email', headers: { 'Idempotency-Key': 'a*' } },
  ];
}
