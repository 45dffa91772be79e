import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What the compiler takes and this house does not. */
const NOWHERE = [
  ['CallExpression[callee.name="forwardRef"]', 'Two modules that need each other are one module, or lack a third.'],
  ['ExportAllDeclaration', 'No barrels: import from the file that declares a name.'],
  ['PropertyDefinition[definite=true]', 'No `!` on fields: strictPropertyInitialization is off for DTOs and entities.'],
  ['CallExpression[callee.name="Type"] Identifier[name="Boolean"]', '@Type(() => Boolean) turns "false" into true.'],
  ['Property[key.name="synchronize"] Literal[value=true]', 'The schema changes by migrations alone.'],
];
const WITHOUT_CLOCK = [
  ...NOWHERE,
  ['Property[key.name="enableImplicitConversion"]', 'Implicit conversion turns "false" into true.'],
  ['MemberExpression[object.name="process"][property.name="env"]', 'read-config.ts alone reads the environment; inject Config.'],
];
/** Everywhere in src but in the clock itself, and in migrations, which run without the application. */
const TIME = [
  ['CallExpression[callee.object.name=/^(Date|performance)$/][callee.property.name="now"]', 'The time comes from Clock, which tests move.'],
  ['NewExpression[callee.name="Date"][arguments.length=0]', 'The time comes from Clock, which tests move.'],
];
const IN_SRC = [
  ...WITHOUT_CLOCK,
  ...TIME,
  [
    'CallExpression[callee.object.name="response"][callee.property.name=/^(on|once|addListener)$/][arguments.0.value="close"]',
    'A response that has closed emits no `close` again: use onClose.',
  ],
];
/** Statements by hand, and entities: a file uses one of them, but for those that implement both. */
const BY_HAND = `:matches(${[
  'ImportSpecifier[imported.name=/^(SqlExecutor|SqlReader)$/]',
  'CallExpression[callee.object.name=/^(statements|transaction)$/][callee.property.name=/^(read|write|writeLast)$/]',
  'CallExpression[callee.object.property.name="dialect"][callee.property.name=/^read/]',
].join()})`;
const BY_ENTITIES = ':matches(Identifier[name=/^(manager|EntityManager|InjectRepository|getRepository)$/])';
const TWO_WAYS = [
  [
    `Program:has(${BY_HAND}):has(${BY_ENTITIES})`,
    'Statements by hand or entities, not both: docs/internals/architecture.md says which where. Cut the file at the line between them.',
  ],
];
/** In texts, SQL and keys of the platform. */
const NAMES = namesOfAreas().map((name) => [
  [
    ...[`:not(ImportDeclaration) > Literal[value=/\\b${name}\\b/]`, `TemplateElement[value.raw=/\\b${name}\\b/]`],
    `:matches(ObjectExpression > Property, PropertyDefinition) > Identifier.key[name="${name}"]`,
  ].join(),
  `"${name}" belongs to an area, which the platform doesn't know: the area passes it in.`,
]);
const IN_CONTROLLERS = [
  ...IN_SRC,
  [
    'ImportDeclaration[source.value=/^\\.(?!.*\\/(common\\/write-context|api-keys\\.service)$)/]:matches([importKind="type"], :has(ImportSpecifier[importKind="type"]))',
    'A type import leaves no class at run time, and an input without one is not validated. Import it as a value.',
  ],
];
const IN_CONSOLE = [
  ...NOWHERE,
  [
    'JSXAttribute[name.name="dangerouslySetInnerHTML"], MemberExpression[property.name=/^(innerHTML|outerHTML)$/]',
    'Texts of callers are text.',
  ],
  ['JSXAttribute[name.name="style"]', "The CSP's style-src takes no style attribute: use a class."],
];

/** Tables of entities outside the platform, and the types of handlers. */
function namesOfAreas() {
  const src = join(import.meta.dirname, 'src');
  const files = readdirSync(src, { recursive: true }).filter((file) => file.endsWith('.ts') && !file.startsWith('platform'));
  const tables = files.flatMap((file) => find(/@Entity\('(\w+)'/g, join(src, file)));
  const types = find(/^ {2}\['(\w+)', [A-Z_]+\],$/gm, join(src, 'deliveries/channels/channel-table.ts'));
  if (tables.length === 0 || types.length === 0) throw new Error('eslint.config.mjs finds no tables, or no types of handlers.');
  return [...tables, ...types];
}

function find(pattern, file) {
  return Array.from(readFileSync(file, 'utf8').matchAll(pattern), ([, name]) => name);
}

const restrict = (rules) => ['error', ...rules.map(([selector, message]) => ({ selector, message }))];

export default defineConfig(
  globalIgnores(['**/dist/', 'coverage/', 'data/', 'client/src/schema.ts', 'extensions/']), // extensions are linted beside their packages
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-restricted-syntax': restrict(NOWHERE),
      // Drivers and parsers give `any`; the line that takes it says what it is. These rules would have it said twice.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
    },
  },
  {
    // The packages of the bench's peers, and the packed client, are installed by the runs that need them.
    files: ['bench/**/*.ts', 'client/test/**/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true } },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'no-console': 'error', 'max-lines': ['error', 250], 'no-restricted-syntax': restrict([...IN_SRC, ...TWO_WAYS]) },
  },
  { files: ['src/platform/**/*.ts'], rules: { 'no-restricted-syntax': restrict([...IN_SRC, ...TWO_WAYS, ...NAMES]) } },
  // Implements both.
  { files: ['src/platform/database/**/*.ts'], rules: { 'no-restricted-syntax': restrict([...IN_SRC, ...NAMES]) } },
  {
    files: ['console/src/**/*.{ts,tsx}'],
    rules: { 'no-console': 'error', 'max-lines': ['error', 250], 'no-restricted-syntax': restrict(IN_CONSOLE) },
  },
  { files: ['console/src/language/{en,pt-BR}.ts'], rules: { 'max-lines': 'off' } },
  {
    // The operator's variables, which the start checks before there is any area: DELIVERY_DAILY_LIMIT names the types of handlers.
    // The introduction, the tags and the examples of the OpenAPI document.
    files: [
      'src/platform/config/{config,value-types}.ts',
      'src/platform/http/openapi/{error-responses,openapi}.ts',
      'src/platform/http/page.dto.ts',
    ],
    rules: { 'no-restricted-syntax': restrict(IN_SRC) },
  },
  { files: ['src/platform/common/clock.ts'], rules: { 'no-restricted-syntax': restrict([...WITHOUT_CLOCK, ...NAMES]) } },
  {
    // Migrations create the tables of all areas, a column a line, and are frozen.
    files: ['src/platform/database/migrations/**/*.ts', 'src/**/*.spec.ts'],
    rules: { 'max-lines': 'off', 'no-restricted-syntax': restrict(WITHOUT_CLOCK) },
  },
  {
    // The helper itself; the responses of other servers.
    files: ['src/platform/http/server/response-close.ts', 'src/platform/outbound/http-exchange.ts'],
    rules: { 'no-restricted-syntax': restrict([...WITHOUT_CLOCK, ...TIME, ...NAMES]) },
  },
  { files: ['src/platform/config/read-config.ts'], rules: { 'no-restricted-syntax': restrict([...NOWHERE, ...TIME, ...NAMES]) } },
  { files: ['src/**/*.controller.ts'], rules: { 'no-restricted-syntax': restrict(IN_CONTROLLERS) } },
  { files: ['src/platform/**/*.controller.ts'], rules: { 'no-restricted-syntax': restrict([...IN_CONTROLLERS, ...NAMES]) } },
);
