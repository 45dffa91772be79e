import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(globalIgnores(['build/', 'dist/']), {
  files: ['**/*.ts'],
  extends: [tseslint.configs.recommendedTypeChecked],
  languageOptions: { parserOptions: { project: ['tsconfig.json', 'tsconfig.build.json'], tsconfigRootDir: import.meta.dirname } },
  rules: {
    '@typescript-eslint/no-unsafe-assignment': 'off',
    '@typescript-eslint/no-unsafe-member-access': 'off',
    '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    '@typescript-eslint/no-floating-promises': [
      'error',
      { allowForKnownSafeCalls: [{ from: 'package', name: 'test', package: 'node:test' }] },
    ],
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['frontdesk/*', '**/frontdesk/**', '!frontdesk/testing'],
            message: "Only 'frontdesk' and 'frontdesk/testing' are public.",
          },
        ],
      },
    ],
  },
});
