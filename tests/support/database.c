/* A database in memory: full text, mathematics and a tree of rectangles, all of which are optional parts. */
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

static int show(void *what, int count, char **values, char **names)
{
    (void)count, (void)names;
    printf("%s %s\n", (const char *)what, values[0] ? values[0] : "null");
    return 0;
}

static int ask(sqlite3 *db, const char *what, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, show, (void *)what, &message) == SQLITE_OK)
        return 1;
    printf("%s FAILED: %s\n", what, message);
    sqlite3_free(message);
    return 0;
}

int main(void)
{
    sqlite3 *db;
    int good;

    if (strcmp(sqlite3_sourceid(), SQLITE_SOURCE_ID) || sqlite3_open(":memory:", &db) != SQLITE_OK)
        return puts("cannot be opened"), 1;
    good = ask(db, "fts5",
               "CREATE VIRTUAL TABLE notes USING fts5(body, tokenize='porter');"
               "INSERT INTO notes VALUES ('the capstan turns upright'), ('a windlass lies level'), ('anchors and windlasses');"
               "SELECT group_concat(rowid, ',') FROM (SELECT rowid FROM notes WHERE notes MATCH 'windlass' ORDER BY rowid);");
    good &= ask(db, "fts4", "CREATE VIRTUAL TABLE old USING fts4(body); INSERT INTO old VALUES ('rope and drum');"
                            "SELECT count(*) FROM old WHERE body MATCH 'drum';");
    good &= ask(db, "rtree", "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1); INSERT INTO boxes VALUES (7, 1, 3), (8, 5, 9);"
                             "SELECT id FROM boxes WHERE x0 < 2 AND x1 > 2;");
    good &= ask(db, "mathematics", "SELECT printf('%.12f', sqrt(2) * cos(0) + log10(1000));");
    good &= ask(db, "json", "SELECT json_extract('{\"a\": [1, {\"b\": 42}]}', '$.a[1].b');");
    good &= ask(db, "sum", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT sum(i * i) FROM n;");
    good &= sqlite3_threadsafe() == 1;
    sqlite3_close(db);
    printf("version %s\n", sqlite3_libversion());
    return !good;
}
