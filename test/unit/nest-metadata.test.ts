import { Body, Controller, Get, Param, ParseIntPipe, Post, Query, Req, UsePipes, ValidationPipe } from '@nestjs/common';
import { controllerPaths, inputParameters, isRoute, usedPipes } from '../../src/platform/http/server/nest-metadata';

class Dto {}
const CONTROLLER_PIPE = new ValidationPipe();

@UsePipes(CONTROLLER_PIPE)
@Controller(['first', 'second'])
class Example {
  @Get(':id')
  @UsePipes(ParseIntPipe)
  read(@Param('id', ParseIntPipe) _id: number, @Query() _query: Dto, @Req() _request: object) {}

  @Post()
  write(@Body('name') _name: string) {}

  helper() {}
}

const { read, write, helper } = Example.prototype as unknown as Record<string, () => void>;

// Nest keeps these under names that it calls internal. When this fails after an upgrade, src/platform/http/server/nest-metadata.ts is what to mend.
test('Nest stores what its decorators declare where we read it', () => {
  expect(inputParameters(Example, read)).toEqual(
    expect.arrayContaining([
      { source: 'path', name: 'id', type: Number, pipes: [ParseIntPipe] },
      { source: 'query', name: undefined, type: Dto, pipes: [] },
      { source: 'request', name: undefined, type: Object, pipes: [] },
    ]),
  );
  expect(inputParameters(Example, write)).toEqual([{ source: 'body', name: 'name', type: String, pipes: [] }]);
  expect(usedPipes(Example, read)).toEqual([ParseIntPipe, CONTROLLER_PIPE]);
  expect(controllerPaths(Example)).toEqual(['first', 'second']);
  expect([read, write, helper].map(isRoute)).toEqual([true, true, false]);
});

test('a ValidationPipe keeps its options where we read them', () => {
  expect(new ValidationPipe({ whitelist: true })).toMatchObject({ validatorOptions: { whitelist: true } });
});
