// Writes docs/reference/ from the built service: the HTTP interface, errors, events, metrics, configuration and the command line.
// `--check` fails when a page is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as prettier from 'prettier';
import { createProgram } from '../dist/src/programs/commands/command-line.js';
import { EdgeMetrics } from '../dist/src/edge/edge-server.js';
import { Config } from '../dist/src/platform/config/config.js';
import { loadExtensions } from '../dist/src/platform/extensions/load-extension.js';
import { ERRORS } from '../dist/src/platform/common/errors.js';
import { Metrics } from '../dist/src/platform/observability/metrics.js';
import { fetchDocument, withApplication } from './with-application.mjs';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'reference');
const METRICS_PORT = '9100';

/** An example of each error of which the document has none; it has one a status. */
const DETAILS = {
  missing_parameter: 'host is required.',
  unknown_parameter:
    'colour is not known here; accepted: page, results_per_page, text, created_from, created_until, changed_since, orderby, sort.',
  malformed_request: 'The body is not valid JSON.',
  acknowledgement_not_requested: 'This message does not wait for an acknowledgement: it was sent without until=acknowledged.',
  delivery_expired: 'The message of this delivery has expired: send another one.',
  delivery_not_failed: 'Only a delivery that has failed can be retried.',
  delivery_obsolete: 'The message of this delivery has been acknowledged, or has got through, so it is not sent again.',
  handler_unavailable: "The delivery's notification handler is disabled or deleted.",
  limit_reached: 'This account may have at most 100 domains; delete one, or ask the operator for more.',
  public_url_missing: 'Acknowledgement links need PUBLIC_URL, which the operator of this service has not set.',
  replay_in_progress: 'A replay of this handler is in progress: 711 events are left. Wait, or end it with DELETE.',
  replay_unconfirmed: 'Messages sent by twilio cost money, and this replay would send 711. Repeat the request with confirm=1 to start it.',
  idempotency_key_in_use: 'This request is being carried out.',
};
/** No documented operation returns them. */
const UNDOCUMENTED = ['method_not_allowed', 'request_timeout', 'invalid_signature'];

await withApplication(
  async ({ address, app }) => {
    const document = JSON.parse(await fetchDocument(address));
    await write(
      {
        ...httpPages(document),
        'errors.md': errorsPage(document),
        'events.md': eventsPage(document),
        'metrics.md': await metricsPage(app.get(Metrics)),
        'configuration.md': configurationPage(),
        'command-line.md': await commandLinePage(),
      },
      process.argv.includes('--check'),
    );
  },
  { METRICS_PORT },
);

async function write(pages, isCheck) {
  mkdirSync(join(FOLDER, 'http'), { recursive: true });
  for (const [name, text] of Object.entries(pages)) {
    const file = join(FOLDER, name);
    const written = await prettier.format(text, { ...(await prettier.resolveConfig(file)), filepath: file });
    if (!isCheck) writeFileSync(file, written);
    else if (written !== readOrNothing(file)) {
      console.error(`docs/reference/${name} is stale: run \`npm run docs:reference\`.`);
      process.exitCode = 1;
    }
  }
}

function readOrNothing(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** A page for each tag of the document. */
function httpPages(document) {
  const pages = document.tags.map(({ name, description }) => [`http/${slug(name)}.md`, httpPage(document, name, description)]);
  return Object.fromEntries(pages);
}

function httpPage(document, tag, description) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const own = operations.filter(({ tags }) => tags.includes(tag));
  const isAlias = (operation) => /Alias of/.test(operation.description ?? '');
  const sections = own.filter((operation) => !isAlias(operation)).map((operation) => operationSection(document, operation, own));
  return page(tag, `${description} All error codes are in [Errors](../errors.md).`, ...sections);
}

function operationSection(document, operation, all) {
  const { method, path, summary, description = '', parameters = [], requestBody, responses } = operation;
  const aliases = all.filter((other) => other !== operation && other.summary === summary && other.method === method);
  const lines = [method, path].join(' ');
  const also = aliases.map((alias) => `, also \`${alias.path}\``).join('');
  const named = parameters.map((parameter) => resolve(document, parameter)).filter(({ name }) => name !== 'X-Request-Id');
  const body = requestBody && resolve(document, Object.values(requestBody.content)[0].schema);
  return [
    `## ${summary}`,
    `\`${lines}\`${also}`,
    description,
    named.length > 0 && table(['parameter', 'meaning'], named.map(parameterRow)),
    ...bodySections(document, body),
    ...answers(document, responses),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function parameterRow({ name, in: place, required, description = '', schema }) {
  const fallback = schema?.default === undefined ? '' : ` Default: \`${schema.default}\`.`;
  const where = place === 'query' ? '' : ` (${place})`;
  return [`\`${name}\`${where}`, `${required ? '**Required.** ' : ''}${description}${fallback}`];
}

/** One table of fields, or one for each type of handler. */
function bodySections(document, body) {
  if (!body) return [];
  if (!body.oneOf) return ['Form fields, or keys of a JSON object:', fieldTable(document, body)];
  const variants = body.oneOf.map((variant) => resolve(document, variant));
  return variants.flatMap((variant) => [`Fields for the type \`${valuesOf(variant.properties.type)[0]}\`:`, fieldTable(document, variant)]);
}

function fieldTable(document, { properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { description = '', ...shape } = resolve(document, schema);
    const values = valuesOf(shape);
    const one = values.length > 0 && !/Must be/.test(description) ? ` \`${values.join('`, `')}\`` : '';
    return [`\`${name}\``, `${required.includes(name) ? '**Required.** ' : ''}${description}${one}`];
  });
  return table(['field', 'meaning'], rows);
}

function answers(document, responses) {
  const success = Object.entries(responses).filter(([status]) => status < 400);
  const failures = Object.keys(responses).filter((status) => status >= 400);
  return [
    ...success.map(([status, response]) => {
      const { description, content } = resolve(document, response);
      const example = content && exampleOf(document, Object.values(content)[0].schema);
      return `**${status}**: ${description}${example ? `\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`` : ''}`;
    }),
    failures.length > 0 && `Errors: ${failures.join(', ')}.`,
  ].filter(Boolean);
}

/** A value that fits, from the examples of the fields. */
function exampleOf(document, reference) {
  const schema = resolve(document, reference);
  if (schema.examples) return schema.examples[0];
  const [first] = schema.oneOf ?? schema.anyOf ?? [];
  if (first) return exampleOf(document, first);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => exampleOf(document, part)));
  if (schema.type === 'array') return [exampleOf(document, schema.items)];
  if (schema.type !== 'object') return valuesOf(schema)[0] ?? null;
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, value]) => [name, exampleOf(document, value)]));
}

/** @throws Error when an error has no example */
function errorsPage(document) {
  const shown = Object.values(document.components.responses).flatMap(({ content }) =>
    Object.values(Object.values(content)[0].examples).map(({ value }) => value.errors[0]),
  );
  const details = { ...DETAILS, ...Object.fromEntries(shown.map(({ code, detail }) => [code, detail])) };
  const listed = Object.entries(ERRORS).filter(([code]) => !UNDOCUMENTED.includes(code));
  const known = listed.map(([code, { status, title }]) => {
    if (!details[code]) throw new Error(`scripts/reference.mjs has no example of ${code}.`);
    return [status, `\`${code}\``, title, details[code]];
  });
  return page(
    'Errors',
    'A response reports everything that is wrong with a request. `detail` says what is accepted, `source` names the input, and `id` is the request id, which is also in `X-Request-Id` and in the log.',
    table(['status', 'code', 'title', 'an example of `detail`'], known),
    'A 500 is a bug in the service: the operator can find its cause in the log by the request id. After a 503 or a lost connection, [repeat the request](../guides/retries-and-conflicts.md). A 429 comes from [rate limiting](../operate/overload.md).',
  );
}

function eventsPage(document) {
  const kinds = Object.entries(document.components.schemas).filter(([name, { properties }]) => /^EventRecord./.test(name) && properties);
  const rows = kinds.map(([, { properties }]) => {
    const data = resolve(document, properties.data);
    const fields = Object.entries(data?.properties ?? {}).map(
      ([name, { description }]) => `\`${name}\`${description ? `: ${description}` : ''}`,
    );
    return [`\`${valuesOf(properties.type)[0]}\``, fields.join(' · ') || 'nothing'];
  });
  return page(
    'Event types',
    'The types of events in the feed at `GET /api/events`, and the fields of their `data`. Extensions add their own types. A key sees the events of the records that it may read.',
    table(['type', '`data`'], rows),
    '[Keep a copy in sync](../guides/sync-by-events.md) shows how to follow the feed; [Events](http/events.md) has every parameter.',
  );
}

async function metricsPage(metrics) {
  metrics.setBuildInfo('1.0.0', 'SQLite'); // which a start does
  const { registry } = metrics;
  const edge = new EdgeMetrics(new Config({ METRICS_PORT }), { size: 0, age: 0 });
  const all = (await Promise.all([registry, edge.registry].map((one) => one.getMetricsAsArray()))).flat();
  const isOurs = ({ name }) => /^(http|frontdesk|database)_/.test(name);
  const rows = all
    .filter(isOurs)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, type, labelNames = [], help }) => [`\`${name}\``, type, labelNames.map((label) => `\`${label}\``).join(', '), help]);
  return page(
    'Metrics',
    'The metrics at `/metrics` on `METRICS_PORT`, in the Prometheus text format ([Set up Prometheus and Grafana](../operate/prometheus.md)). Labels never contain a requested path, a key, an id, a host or an account.',
    table(['metric', 'type', 'labels', 'meaning'], rows),
    'The `nodejs_*` and `process_*` metrics are those of [prom-client](https://github.com/siimon/prom-client). [Read the metrics](../operate/metrics.md) says what each means for an operator, [An alert fires](../operate/alerts.md) what to do.',
  );
}

/** Names and defaults are those of the code, meanings the comments of .env.example. @throws Error when the two differ */
function configurationPage() {
  const defaults = readDefaults();
  const blocks = readFileSync(join(ROOT, '.env.example'), 'utf8').trim().split('\n\n').slice(1);
  const rows = blocks.flatMap((block) => {
    const lines = block.split('\n');
    const meaning = lines.filter((line) => line.startsWith('# ')).map((line) => line.slice(2));
    const shown = [...block.matchAll(/^#([A-Z_]+)=(.*)$/gm)];
    return shown.map(([, name, value]) => {
      const fallback = String(defaults.get(name) ?? '');
      if (fallback !== value) throw new Error(`.env.example shows ${name}=${value}, and the default is "${fallback}".`);
      return [
        `\`${name}\``,
        value ? `\`${value}\`` : 'none',
        meaning.join(' ').replace(/docs\/([\w/-]+\.md)/g, (_, page) => `[${titleOf(page)}](../${page})`),
      ];
    });
  });
  return page(
    'Configuration (environment variables)',
    'Set these as environment variables, or as lines of a file `.env` in the working directory. An invalid value stops the start, with a message that names it.',
    table(['variable', 'default', 'meaning'], rows),
    '[Size machines](../operate/sizing.md) helps to choose the numbers; [Keep secrets in files](../operate/secret-files.md) keeps passwords out of the environment.',
  );
}

function titleOf(page) {
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, 'docs', page), 'utf8'))[1];
}

function readDefaults() {
  const defaults = new Map();
  class Recording extends Config {}
  for (const method of ['text', 'integer', 'oneOf', 'isOn', 'value', 'secret']) {
    Recording.prototype[method] = function (name, ...rest) {
      if (!defaults.has(name)) defaults.set(name, rest[0] ?? (method === 'isOn' ? 'on' : ''));
      return Config.prototype[method].call(this, name, ...rest);
    };
  }
  new Recording({});
  return defaults;
}

async function commandLinePage() {
  const program = createProgram(loadExtensions([]));
  const commands = program.commands.flatMap((command) => withSubcommands(command, 'frontdesk'));
  return page(
    'Command line',
    'In a clone `npm run -s frontdesk -- …`, in an installed release `frontdesk …`. Most commands need the database that `DATABASE_URL` names. The exit code is 0 on success, 1 with one line on standard error on failure, and 141 if the reader of the output goes away, as with `| head`.',
    ...commands.map(commandSection),
  );
}

function withSubcommands(command, parent) {
  const name = `${parent} ${command.name()}`;
  const own = command.commands.filter((sub) => sub.name() !== 'help').flatMap((sub) => withSubcommands(sub, name));
  return own.length === 0 || command.options.length > 0 ? [{ name, command }, ...own] : own;
}

function commandSection({ name, command }) {
  const options = command.options.filter(({ hidden }) => !hidden);
  const values = command.registeredArguments.map((argument) => [argument.name(), argument.description]);
  const rows = [...values.map(([value, meaning]) => [`\`<${value}>\``, meaning]), ...options.map(optionRow)];
  return [`## ${name}`, escaped(sentence(command.description())), rows.length > 0 && table(['option', 'meaning'], rows)]
    .filter(Boolean)
    .join('\n\n');
}

function optionRow({ flags, description, defaultValue, mandatory, envVar }) {
  const fallback =
    defaultValue === undefined || defaultValue === false || typeof defaultValue === 'object' ? '' : ` (default: \`${defaultValue}\`)`;
  const variable = envVar ? `; or the environment variable \`${envVar}\`` : '';
  return [`\`${flags}\``, `${mandatory ? '**Required.** ' : ''}${description}${fallback}${variable}`];
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith('.') ? '' : '.');
}

function resolve({ components }, schema) {
  if (!schema?.$ref) return schema;
  const [, , kind, name] = schema.$ref.split('/');
  return components[kind][name];
}

function valuesOf({ enum: values, const: only }) {
  return values ?? (only === undefined ? [] : [only]);
}

function slug(name) {
  return name.toLowerCase().replaceAll(' ', '-');
}

function page(title, ...parts) {
  return `# ${title}\n\n<!-- Written by \`npm run docs:reference\`. -->\n\n${parts.filter(Boolean).join('\n\n')}\n`;
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => escaped(String(cell))).join(' | ')} |\n`;
  return `${line(heads)}${line(heads.map(() => '---'))}${rows.map(line).join('')}`;
}

/** Cells are one line; VitePress would take a tag or a double brace for its own. */
function escaped(text) {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('`');
}
