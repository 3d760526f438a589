-- Of many configs few have anything to tell any more, and these are looked for with each that comes or goes.
CREATE INDEX configs_wanted ON configs (num) WHERE told = 0;
