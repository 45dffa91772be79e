import 'reflect-metadata';
import type { INestApplication, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { Option } from 'commander';
import { AppModule } from '../app.module';
import { readConfig } from '../config/config';
import { Migrations } from '../database/migrations';

interface Options {
  /** For commands that run without migrating first, and so without extensions' hooks, which may need the new schema. */
  keepSchema?: boolean;
}

/** Wraps a function as a commander action, with the application's services; its HTTP server never listens. */
export function withServices<Arguments extends unknown[]>(
  run: (app: INestApplicationContext, ...args: Arguments) => Promise<void>,
  { keepSchema = false }: Options = {},
) {
  return async (...args: Arguments): Promise<void> => {
    const config = readConfig();
    // createApplicationContext() would run extensions' hooks at once, before the migrations.
    const app = await NestFactory.create(AppModule.with(config), { logger: false, abortOnError: false, bodyParser: false });
    let isInitialized = false;
    try {
      if (!keepSchema) {
        await app.get(Migrations).prepare(config.migrations);
        isInitialized = true;
        await app.init();
      }
      await run(app, ...args);
    } catch (error) {
      await close(app, isInitialized).catch(() => undefined); // the first error is the cause
      throw error;
    }
    await close(app, isInitialized);
  };
}

/** Closes the database even if an extension's hook fails. */
async function close(app: INestApplication, isInitialized: boolean): Promise<void> {
  const dataSource = app.get(DataSource);
  try {
    if (isInitialized) await app.close();
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

export interface JsonOption {
  json?: boolean;
}

export type ListRow = Record<string, string | string[] | number | boolean | null>;

export const JSON_OPTION = new Option('--json', 'print JSON');

/** Prints rows as JSON or as a table. */
export function printList(rows: ListRow[], json?: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length > 0) process.stdout.write(table(rows));
}

export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints to standard error, to keep standard output clean for pipes. */
export function printNotice(text: string): void {
  process.stderr.write(`${text}\n`);
}

function table(rows: ListRow[]): string {
  const columns = Object.keys(rows[0]);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '-')))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  const lines = cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index])).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
