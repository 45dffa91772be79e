import { stopMysqlServer } from '../servers/mysql-server';

export default stopMysqlServer;
