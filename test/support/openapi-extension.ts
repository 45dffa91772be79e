import { Body, Controller, Delete, Get, Header, HttpCode, Module, Param, Patch, Post, Put, Query, StreamableFile } from '@nestjs/common';
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
  PartialType,
} from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDateString,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { Public, Scope } from '../../src/auth/route-policies';

class Maker {
  @ApiProperty()
  @IsString()
  name: string;
}

class Widget {
  @ApiProperty({ example: 'Bolt' })
  @IsString()
  name: string;

  @ApiProperty({ minimum: 1 })
  @IsInt()
  weight: number;

  @ApiProperty({ default: true, required: false })
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

enum Colour {
  Red = 'red',
  Blue = 'blue',
}

class Address {
  @IsString()
  @Length(1, 80)
  street: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Address)
  next?: Address;
}

/** With class-validator's decorators alone. */
class Parcel {
  @IsString()
  @IsNotEmpty()
  @MaxLength(40)
  label: string;

  @MinLength(3)
  @IsNotEmpty()
  @Matches(/^[A-Z]+$/)
  code: string;

  @Matches(/^a+$/i)
  caseless: string;

  @IsInt()
  @Min(1)
  @Max(100)
  weight: number;

  @IsNumber()
  @IsPositive()
  price: number;

  @IsIn(['post', 'courier'])
  carrier: string;

  @IsIn([1, 2])
  size: number;

  @IsEnum(Colour)
  colour: Colour;

  @IsEmail()
  email: string;

  @IsUUID()
  tracking: string;

  @IsDateString()
  sent: string;

  @IsOptional()
  @IsBoolean()
  fragile?: boolean;

  @IsOptional()
  @IsString({ each: true })
  @MaxLength(10, { each: true })
  @ArrayMaxSize(5)
  tags?: string[];

  @IsEnum(Colour, { each: true })
  stripes: Colour[];

  @ValidateNested()
  @Type(() => Address)
  to: Address;

  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @Type(() => Address)
  stops: Address[];

  @ApiProperty({ description: 'How many.', examples: [3] })
  @IsInt()
  @Min(0)
  pieces: number;

  @ApiProperty({ description: 'Notes.' })
  @IsOptional()
  @IsString({ each: true })
  notes?: string[];
}

class UpdateParcel extends PartialType(Parcel) {}

class FragileParcel extends UpdateParcel {
  @ApiProperty({ type: 'string', examples: ['foam'] })
  @IsString()
  padding: string;
}

class ParcelQuery {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Type(() => Number)
  size?: number;
}

@Scope('domains:read')
@Controller('parcels')
class ParcelsController {
  @Get()
  find(@Query() query: ParcelQuery) {
    return query;
  }

  @Post()
  create(@Body() parcel: Parcel) {
    return parcel;
  }

  @Patch(':id')
  update(@Body() parcel: UpdateParcel) {
    return parcel;
  }

  @Put(':id')
  replace(@Body() parcel: FragileParcel) {
    return parcel;
  }
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

@Module({ controllers: [WidgetsController, BoltsController, NutsController, FilesController, ParcelsController] })
export class ExtensionModule {}
