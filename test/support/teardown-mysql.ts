import { stopMysqlServer } from './mysql-server';

export default stopMysqlServer;
