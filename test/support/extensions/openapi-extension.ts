import { Body, Controller, Delete, Get, Header, HttpCode, Module, Param, Patch, Post, Put, StreamableFile } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiProperty,
  getSchemaPath,
} from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Public, Scope } from '../../../src/auth/route-policies';

class Maker {
  @ApiProperty()
  @IsString()
  name: string;
}

class Widget {
  @ApiProperty({ example: 'Bolt' })
  @IsString()
  name: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  @IsInt()
  weight: number;

  @ApiProperty({ default: true })
  @IsOptional()
  @IsBoolean()
  is_round?: boolean;

  @ApiProperty({ type: [Maker] })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Maker)
  makers: Maker[];

  @ApiProperty({ type: () => [Widget] })
  parts: Widget[];

  @ApiProperty({ type: () => Widget, required: false })
  whole?: Widget;
}

class Gadget extends Widget {
  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' } })
  sizes: Record<string, number>;
}

/** As `nest g resource` makes it: no decorator of `@nestjs/swagger` on the routes. */
@Scope('domains:read')
@Controller('widgets')
class WidgetsController {
  @Get()
  findAll() {
    return [];
  }

  @Get(':slug/parts')
  findParts(@Param('slug') slug: string) {
    return slug;
  }

  @Put(':id')
  replace(@Param('id') id: string, @Body() widget: Widget) {
    return { id, widget };
  }

  @Scope('domains:write')
  @Patch(':id')
  update(@Param('id') id: string, @Body() widget: Widget) {
    return { id, widget };
  }

  @Public()
  @Get('open')
  findOpen() {
    return [];
  }
}

abstract class PartsController {
  @Get()
  @ApiOperation({ summary: 'List the parts' })
  @ApiOkResponse({ schema: { type: 'array', items: { $ref: getSchemaPath(Widget) } } })
  findAll() {
    return [];
  }
}

@Public()
@Controller('bolts')
class BoltsController extends PartsController {
  @Scope('domains:write')
  @Delete(':id')
  @HttpCode(204)
  @ApiNotFoundResponse({ description: 'There is no such bolt.' })
  remove(@Param('id') _id: string): void {}
}

@Scope('domains:read')
@Controller(['nuts', 'old-nuts'])
class NutsController extends PartsController {}

@Scope('scheduling:read')
@Controller('files')
class FilesController {
  @Get('report')
  @Header('Content-Type', 'text/csv')
  @ApiProduces('text/csv')
  @ApiOkResponse({ schema: { type: 'string' } })
  report() {
    return 'a,b\n';
  }

  @Get('picture')
  @ApiProduces('image/png', 'image/webp')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  picture() {
    return new StreamableFile(Buffer.from(''));
  }

  @Post()
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } } })
  upload() {
    return {};
  }

  @Post('mixed')
  @ApiExtraModels(Gadget, Maker)
  @ApiConsumes('application/json', 'application/x-www-form-urlencoded')
  @ApiBody({ schema: { oneOf: [{ $ref: getSchemaPath(Gadget) }, { allOf: [{ $ref: getSchemaPath(Maker) }, { type: 'object' }] }] } })
  @ApiOperation({ operationId: 'mixFiles' })
  mix() {
    return {};
  }
}

@Module({ controllers: [WidgetsController, BoltsController, NutsController, FilesController] })
export class ExtensionModule {}
