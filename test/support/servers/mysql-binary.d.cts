export function findMysqlServer(): string | undefined;
