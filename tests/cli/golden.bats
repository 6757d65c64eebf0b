# Not under the sanitizers: a tool of tests.

# The comparison of golden pictures (tests/golden/compare.c) finds differences above its tolerance, and no others.

load sheets

setup() {
    work_in_empty_folder
    mkdir expected drawn
    convert -size 40x40 gradient:'#203040-#c0a080' -fill none -draw 'circle 20,20 20,4' PNG32:expected/some.png
    cp expected/some.png drawn
}

compare_folders() {
    run --separate-stderr "$(dirname "$SHEETBAKE")/golden/compare" expected drawn failures
}

alike() {
    compare_folders
    exited 0
    [ "$output" = '1 of 1 pictures are as expected' ]
    [ "$(files failures)" = '' ]
}

differ() { # files that are left of the failure
    compare_folders
    exited 1
    [ "$(files failures)" = "$1" ]
}

@test "the same pictures are alike" {
    alike
}

@test "levels of rounding are alike, more are not" {
    convert expected/some.png -depth 8 -channel RGB -fx 'u + 3/255' PNG32:drawn/some.png
    alike
    convert expected/some.png -depth 8 -channel RGB -fx 'u + 4/255' PNG32:drawn/some.png
    differ 'some.actual.png some.difference.png'
    says 'some.png: 1600 of 1600 pixels differ (8 may), by up to 4 levels: see failures/some.{actual,difference}.png'
    says '0 of 1 pictures are as expected'
    cmp drawn/some.png failures/some.actual.png
    [ "$(convert failures/some.difference.png -format %k info:)" = 1 ]
}

@test "a few pixels may be off by any amount, and the others are marked" {
    convert expected/some.png -fill white -draw 'rectangle 3,3 6,4' PNG32:drawn/some.png
    alike
    convert expected/some.png -fill white -draw 'rectangle 3,3 5,5' PNG32:drawn/some.png
    differ 'some.actual.png some.difference.png'
    says 'some.png: 9 of 1600 pixels differ (8 may), *'
    open_pixels failures/some.difference.png
    [[ $(pixel 3 3) =~ ^([c-f].)0000ff$ ]]
    [ "$(pixel 2 3)" = 1c1c1cff ]
}

@test "opacity counts, and colour as much as it shows" {
    convert -size 40x40 xc:'#ff000001' PNG32:expected/some.png
    convert -size 40x40 xc:'#00ff0001' PNG32:drawn/some.png
    alike
    convert -size 40x40 xc:'#ff000008' PNG32:drawn/some.png
    differ 'some.actual.png some.difference.png'
}

@test "another size is not a picture to compare" {
    convert expected/some.png -extent 40x41 PNG32:drawn/some.png
    differ some.actual.png
    says 'some.png: 40x41 pixels, expected 40x40: see failures/some.actual.png'
}

@test "the comparison reports pictures that are missing, new or broken" {
    cp drawn/some.png drawn/more.png
    cp drawn/some.png expected/less.png
    head -c 100 expected/some.png >drawn/some.png
    differ ''
    says 'more.png: expected: *: No such file or directory'
    says 'less.png: drawn: *: No such file or directory'
    says 'some.png: drawn: *'
    says '0 of 3 pictures are as expected'
}

@test "no pictures at all are none as expected" {
    rm expected/some.png drawn/some.png
    compare_folders
    exited 1
}
