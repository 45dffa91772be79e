import { Socket } from 'node:net';
import { Body, Controller, Post, Query, Req } from '@nestjs/common';
import { PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { ApiConsumes, ApiExcludeController, ApiProperty, DECORATORS } from '@nestjs/swagger';
import express from 'express';
import Libsql from 'libsql';
import { createConnection } from 'mysql2';
import { DataSource } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { allowedMethods } from '../../src/platform/http/server/http-server';

// What docs/internals/architecture.md lists under "Private parts of other packages": a test that fails names the package that has changed.

@ApiExcludeController()
@Controller(['coupons', 'coupon'])
class CouponsController {
  @ApiConsumes('text/csv')
  @Post('import')
  import(@Query() query: object, @Body() body: object, @Req() request: object) {
    return { query, body, request };
  }
}

class Coupon {
  @ApiProperty()
  code: string;
}

const handler = CouponsController.prototype.import; // eslint-disable-line @typescript-eslint/unbound-method -- holds metadata

test('@nestjs/common keeps the paths of a controller and its methods, and the kinds of their parameters', () => {
  expect(Reflect.getMetadata(PATH_METADATA, CouponsController)).toEqual(['coupons', 'coupon']);
  expect(Reflect.getMetadata(PATH_METADATA, handler)).toBe('import');
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, CouponsController, 'import') as object;
  const kinds = [RouteParamtypes.REQUEST, RouteParamtypes.BODY, RouteParamtypes.QUERY];
  expect(Object.keys(parameters).sort()).toEqual([`${kinds[0]}:2`, `${kinds[1]}:1`, `${kinds[2]}:0`].sort());
});

test('@nestjs/swagger keeps what it documents under the keys of DECORATORS', () => {
  expect(Reflect.getMetadata(DECORATORS.API_EXCLUDE_CONTROLLER, CouponsController)).toEqual([true]);
  expect(Reflect.getMetadata(DECORATORS.API_CONSUMES, handler)).toEqual(['text/csv']);
  expect(Reflect.hasMetadata(DECORATORS.API_MODEL_PROPERTIES, Coupon.prototype, 'code')).toBe(true);
});

test("Express's router tells the methods of a path", () => {
  const app = express();
  app.get('/coupons/:id', () => undefined);
  app.delete('/coupons/:id', () => undefined);
  app.post('/coupons', () => undefined);
  const at = (path: string) => allowedMethods({ app, path } as unknown as express.Request);
  expect(at('/coupons/7')).toEqual(['DELETE', 'GET', 'HEAD']);
  expect(at('/elsewhere')).toEqual([]);
});

test('a connection of mysql2 has its socket', () => {
  const stream = new Socket();
  const connection = createConnection({ stream });
  expect(connection).toHaveProperty('stream', stream);
  connection.destroy();
});

test("TypeORM's query runner for SQLite can be extended, and begins and rolls back with these statements", async () => {
  const statements: string[] = [];
  class Runner extends BetterSqlite3QueryRunner {
    override query(sql: string): Promise<void> {
      statements.push(sql);
      return Promise.resolve();
    }
  }
  const { driver } = new DataSource({ type: 'better-sqlite3', database: ':memory:', driver: Libsql });
  const runner = new Runner(driver as BetterSqlite3Driver);
  await runner.startTransaction();
  await runner.rollbackTransaction();
  expect(statements).toEqual(['BEGIN TRANSACTION', 'ROLLBACK']);
});
