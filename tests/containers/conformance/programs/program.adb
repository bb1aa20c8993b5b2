--  What the tests ask of most languages: MODE N, and for `sort` N numbers.
with Ada.Command_Line;
with Ada.Containers.Generic_Array_Sort;
with Ada.Long_Long_Integer_Text_IO; use Ada.Long_Long_Integer_Text_IO;
with Ada.Text_IO; use Ada.Text_IO;

procedure Asked is
   type Numbers is array (Positive range <>) of Long_Long_Integer;
   type Reference is access Numbers;
   procedure Sort is new Ada.Containers.Generic_Array_Sort (Positive, Long_Long_Integer, Numbers);

   Mode : Character;
   Rest : Character := 'x';
   N    : Long_Long_Integer;
   All_Of_Them : array (1 .. 100_000) of Reference;
   Turns : Integer := 1 with Volatile;

   function Deep (Left : Long_Long_Integer) return Long_Long_Integer is
     (if Left = 0 then 0 else 1 + Deep (Left - 1));
begin
   Get (Mode);
   Get (Rest);
   if Mode = 's' and Rest = 'p' then
      Mode := 'l';
   end if;
   while Rest /= ' ' loop
      Get_Immediate (Rest);
   end loop;
   Get (N);
   case Mode is
      when 's' =>
         declare
            Given : Reference := new Numbers (1 .. Integer (N));
         begin
            for I in Given'Range loop
               Get (Given (I));
            end loop;
            Sort (Given.all);
            for Number of Given.all loop
               Put (Number, Width => 0);
               New_Line;
            end loop;
         end;
      when 'd' =>
         Put (Deep (N), Width => 0);
      when 'h' =>
         for I in All_Of_Them'Range loop
            All_Of_Them (I) := new Numbers'(1 .. 100_000 => 1);
         end loop;
      when 'l' =>
         while Turns /= 0 loop
            null;
         end loop;
      when 't' =>
         raise Program_Error with "thrown";
      when 'e' =>
         Ada.Command_Line.Set_Exit_Status (Ada.Command_Line.Exit_Status (N));
      when others =>
         null;
   end case;
end Asked;
