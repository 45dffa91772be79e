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
  ['MemberExpression[object.name="process"][property.name="env"]', 'config.ts alone reads the environment; inject Config.'],
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

const restrict = (rules) => ['error', ...rules.map(([selector, message]) => ({ selector, message }))];

export default defineConfig(
  globalIgnores(['**/dist/', 'coverage/', 'data/', 'client/src/schema.ts']),
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
    rules: { 'no-console': 'error', 'max-lines': ['error', 250], 'no-restricted-syntax': restrict(IN_SRC) },
  },
  {
    files: ['console/src/**/*.{ts,tsx}'],
    rules: { 'no-console': 'error', 'max-lines': ['error', 250], 'no-restricted-syntax': restrict(IN_CONSOLE) },
  },
  { files: ['console/src/language/{en,pt-BR}.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['src/platform/common/clock.ts', 'src/platform/database/migrations/**/*.ts', 'src/**/*.spec.ts'],
    rules: { 'no-restricted-syntax': restrict(WITHOUT_CLOCK) },
  },
  {
    // The helper itself; the responses of other servers.
    files: ['src/platform/http/server/response-close.ts', 'src/platform/outbound/http-exchange.ts'],
    rules: { 'no-restricted-syntax': restrict([...WITHOUT_CLOCK, ...TIME]) },
  },
  { files: ['src/platform/config/config.ts'], rules: { 'no-restricted-syntax': restrict([...NOWHERE, ...TIME]) } },
  { files: ['src/**/*.controller.ts'], rules: { 'no-restricted-syntax': restrict(IN_CONTROLLERS) } },
);
