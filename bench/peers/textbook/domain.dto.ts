import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

export class PageQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  page: number = 1;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Max(1000)
  results_per_page?: number;
}

export class CreateDomain {
  @IsString()
  @MaxLength(253)
  host: string;

  @IsOptional()
  @IsIn(['https://', 'http://'])
  scheme?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2048)
  custom_index_url?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2048)
  custom_not_found_url?: string;
}

export class UpdateDomain {
  @IsOptional()
  @IsString()
  @MaxLength(253)
  host?: string;

  @IsOptional()
  @IsIn(['https://', 'http://'])
  scheme?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2048)
  custom_index_url?: string;

  @IsOptional()
  @IsString()
  @MaxLength(2048)
  custom_not_found_url?: string;
}
